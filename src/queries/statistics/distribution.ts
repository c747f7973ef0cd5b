// Counts the points of an interval in each class of levels.

import type { DistributionOutput } from '../../contract/distribution.ts';
import type { Interval } from '../../contract/instant.ts';
import { countIn, FIRST_LEVEL, FLOOR } from '../../statistics/histogram.ts';
import type { Store } from '../../store/rollups-in-use.ts';
import { histogramOf } from './summary.ts';

/** The highest level, in tenths of a dB. */
const FULL_SCALE = 0;

/**
 * @param stepDb the width of a class; the first one begins at -50 dB, the last one holds only 0 dB
 * @returns every class, lowest first, also those without points
 */
export async function distribution(
  store: Store,
  interval: Interval,
  stepDb: number,
): Promise<Pick<DistributionOutput, 'level_count' | 'levels'>> {
  const { levels: counts } = await histogramOf(store, interval);
  const step = Math.round(stepDb * 10);
  const total = countIn(counts);
  const levels: DistributionOutput['levels'] = [];
  let below = 0;
  for (let level = FLOOR; level <= FULL_SCALE; level += step) {
    const start = level - FIRST_LEVEL;
    const count = countIn(counts.subarray(start, start + step));
    levels.push({
      level_db: level / 10,
      point_count: count,
      exceeded_percent: total > 0 ? (100 * (total - below)) / total : null,
    });
    below += count;
  }
  return { level_count: total, levels };
}
