// Counts the noise events that start in each part of a limit.
import type { Interval } from '../../../contract/instant.ts';
import { FLOOR_DB } from '../../../contract/level-unit.ts';
import type { Limit } from '../../../contract/limits.ts';
import { rangeOf } from '../../../contract/ranges.ts';
import type { Store } from '../../../rollups/store.ts';
import { eventStarts } from '../../events/event-starts.ts';
import type { LimitedPart } from './limit-parts.ts';

/** Whether a limit lies within the range of stored levels. */
export const isCountable = (limit_db: number, offset_db: number | null) =>
  offset_db !== null && isRecordable(Number((limit_db - offset_db).toFixed(6)));

/** Whether a level lies within the range of stored levels. */
const isRecordable = (level: number) => level >= FLOOR_DB && level <= 0;

interface EventCounts {
  readonly interval: Interval;
  readonly now: string;
  readonly limits: readonly Limit[];
  readonly parts: readonly LimitedPart[];
  /** The offset from stored levels to the scale of the limits, dB; null if unknown. */
  readonly offset_db: number | null;
}

/** The number of events that start in each part; null if not counted. Limits with equal levels share one search. */
export async function eventsByPart(
  store: Store,
  { interval, now, limits, parts, offset_db }: EventCounts,
  spacing_seconds: number | null,
): Promise<(number | null)[]> {
  const counts = parts.map((): number | null => null);
  if (offset_db === null) return counts;
  const indexes = [...parts.keys()];
  for (const [limit_db, some] of Map.groupBy(indexes, (at) => limits[parts[at]?.limit ?? 0]?.limit_db ?? 0)) {
    const threshold = Number((limit_db - offset_db).toFixed(6)); // 45.1 - 95.1 is a little more than -50
    if (!isRecordable(threshold)) continue;
    const stretches = some.flatMap((at) => parts[at] ?? []).map(rangeOf);
    const found = await eventStarts(store, { interval, threshold, spacing_seconds, now }, stretches);
    for (const [index, at] of some.entries()) counts[at] = found?.[index] ?? null;
  }
  return counts;
}
