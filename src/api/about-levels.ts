// What every answer of statistics says of the levels of its interval: their scale, and whether their spacing changes.
import type { Interval } from '../contract/instant.ts';
import type { LevelScale } from '../contract/periods.ts';
import { scaleOf } from '../queries/periods.ts';
import { spacingChanges } from '../queries/statistics/spacings.ts';
import type { Store } from '../store/store.ts';

interface AboutLevels {
  readonly scale: LevelScale;
  readonly spacing_changes: boolean;
}

/** One question after the other: a call takes one connection at a time. */
export async function aboutLevels(store: Store, interval: Interval): Promise<AboutLevels> {
  const scale = await scaleOf(store.db, interval);
  return { scale, spacing_changes: await spacingChanges(store, interval) };
}
