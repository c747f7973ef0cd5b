// Counts the points of an interval in each class of levels.

import type { Interval } from '../../../contract/instant.ts';
import type { Store } from '../../../rollups/store.ts';
import { intervalHistogram } from '../summary/query.ts';
import type { DistributionOutput } from './contract.ts';
import { levelClasses } from './level-classes.ts';

/** @param stepDb the width of a class */
export async function distribution(
  store: Store,
  interval: Interval,
  stepDb: number,
): Promise<Pick<DistributionOutput, 'level_count' | 'levels'>> {
  const { level_count, levels } = await intervalHistogram(store, interval);
  return { level_count, levels: levelClasses(levels, stepDb) };
}
