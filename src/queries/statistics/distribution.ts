// How the levels of an interval are distributed.
import type { DistributionOutput } from '../../contract/distribution.ts';
import { type Counts, FIRST_LEVEL, FLOOR } from '../../timescale/buckets.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';
import { measured } from './summary.ts';

/** The highest level, in tenths of a dB. */
const FULL_SCALE = 0;

/**
 * @param stepDb a class begins at each multiple of it from -50 dB on; the last one holds 0 dB alone
 * @returns every class, lowest first, also those without points
 */
export async function distribution(
  store: Store,
  interval: { from: string; to: string },
  stepDb: number,
): Promise<Pick<DistributionOutput, 'level_count' | 'levels'>> {
  const { levels: counts } = await measured(store, interval);
  const step = Math.round(stepDb * 10);
  const total = sumOf(counts);
  const levels: DistributionOutput['levels'] = [];
  let below = 0;
  for (let level = FLOOR; level <= FULL_SCALE; level += step) {
    const start = level - FIRST_LEVEL;
    const count = sumOf(counts.subarray(start, start + step));
    levels.push({
      level_db: level / 10,
      point_count: count,
      exceeded_percent: total > 0 ? (100 * (total - below)) / total : null,
    });
    below += count;
  }
  return { level_count: total, levels };
}

function sumOf(counts: Counts): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
