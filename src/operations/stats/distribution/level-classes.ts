// Groups counts of levels into classes of equal width.

import {
  CEILING_TENTHS,
  type Counts,
  countIn,
  FIRST_LEVEL,
  FLOOR_TENTHS,
} from '../../../rollups/histogram.ts';
import type { DistributionOutput } from './contract.ts';

/**
 * @param stepDb the width of a class; the first class begins at -50 dB, the last holds only 0 dB
 * @returns every class, lowest first, including empty ones
 */
export function levelClasses(counts: Counts, stepDb: number): DistributionOutput['levels'] {
  const step = Math.round(stepDb * 10);
  const total = countIn(counts);
  const levels: DistributionOutput['levels'] = [];
  let below = 0;
  for (let level = FLOOR_TENTHS; level <= CEILING_TENTHS; level += step) {
    const start = level - FIRST_LEVEL;
    const count = countIn(counts.subarray(start, start + step));
    levels.push({
      level_db: level / 10,
      point_count: count,
      exceeded_percent: total > 0 ? (100 * (total - below)) / total : null,
    });
    below += count;
  }
  return levels;
}
