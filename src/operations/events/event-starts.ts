// Counts the noise events that start in each of several stretches, outside excluded ranges.
import type { Interval, Range } from '../../contract/instant.ts';
import { isWithin, rangeOf } from '../../contract/ranges.ts';
import { excludedOf, type Store } from '../../rollups/store.ts';
import { HALF_HOUR, halfHourOf } from '../stats/backgrounds.ts';
import { type Criteria, microsIn } from './event-criteria.ts';
import { MAX_HOLD_SECONDS } from './list/contract.ts';
import { SEARCH_LIMITS, searchRunsBack, TooManyPoints } from './search-runs-back.ts';

interface EventStartsQuery {
  readonly interval: Interval;
  /** As in events.list. The other criteria have their defaults. */
  readonly threshold: number;
  readonly spacing_seconds: Criteria['spacing_seconds'];
  /** The time of the request. */
  readonly now: string;
}

/**
 * @param stretches within the interval, in order, in microseconds since 1970
 * @returns the number of events that start in each stretch; null if too many points are above the threshold
 */
export async function eventStarts(
  store: Store,
  { interval, threshold, spacing_seconds, now }: EventStartsQuery,
  stretches: readonly Range[],
): Promise<number[] | null> {
  const range = rangeOf(interval);
  const criteria = {
    threshold,
    above_background: null,
    hysteresis: 0,
    hold_seconds: null,
    min_duration_seconds: 0,
    spacing_seconds,
    halfHours: halfHoursOf(stretches),
  };
  const counts = stretches.map(() => 0);
  const excluded = excludedOf(store);
  let index = stretches.length - 1;
  try {
    for await (const runs of searchRunsBack(store, range, criteria, now, SEARCH_LIMITS))
      for (const { loud } of runs) {
        while (index > 0 && (stretches[index]?.from ?? loud) > loud) index -= 1;
        const stretch = stretches[index];
        if (isWithin(excluded, loud)) continue;
        if (stretch && loud >= stretch.from && loud < stretch.to) counts[index] = (counts[index] ?? 0) + 1;
      }
  } catch (error) {
    if (error instanceof TooManyPoints) return null;
    throw error;
  }
  return counts;
}

/** The half hours of the stretches and of the hour before: an event that begins there may reach into a stretch. */
function halfHoursOf(stretches: readonly Range[]): bigint[] {
  const all = new Set<bigint>();
  for (const { from, to } of stretches)
    for (let at = halfHourOf(from - microsIn(MAX_HOLD_SECONDS)); at < to; at += HALF_HOUR) all.add(at);
  return [...all];
}
