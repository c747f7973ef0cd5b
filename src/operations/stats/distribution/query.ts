// Counts the points of an interval in each class of levels.
import type { Interval } from '../../../contract/instant.ts';
import { CEILING_TENTHS, countIn, FIRST_LEVEL, FLOOR_TENTHS } from '../../../rollups/histogram.ts';
import type { Store } from '../../../rollups/store.ts';
import { intervalHistogram } from '../summary/query.ts';
import type { DistributionOutput } from './contract.ts';

/** @param stepDb the width of a class, from -50 dB up; the last holds only 0 dB. @returns all classes, lowest first */
export async function distribution(
  store: Store,
  interval: Interval,
  stepDb: number,
): Promise<Pick<DistributionOutput, 'level_count' | 'levels'>> {
  const { level_count, gone_count, levels: counts } = await intervalHistogram(store, interval);
  if (gone_count > 0) return { level_count, levels: [] };
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
  return { level_count, levels };
}
