// Counts the noise events that start in each of several stretches.
import type { Interval, Range } from '../../contract/instant.ts';
import { earlier, later, rangeOf, union } from '../../contract/ranges.ts';
import { spacing } from '../../points/point-times.ts';
import type { Store } from '../../rollups/store.ts';
import { ALL_LIMITS } from './all-runs.ts';
import { type CountCriteria, holdsOf, microsIn } from './event-criteria.ts';
import type { EventCount } from './list/contract.ts';
import { countedRuns } from './list/query.ts';
import { searchRunsBack, TooManyPoints } from './search-runs-back.ts';

export interface CountQuery {
  readonly interval: Interval;
  /** Null if events are not counted. */
  readonly counted: CountCriteria | null;
  /** The time of the request. */
  readonly now: string;
}

const NOT_REQUESTED: EventCount = { event_count: null, event_count_reason: 'not_requested' };
const TOO_MANY: EventCount = { event_count: null, event_count_reason: 'too_many_points' };

/** @returns the number of events of several stretches */
export function sumOfCounts(
  counts: readonly EventCount[],
  { counted }: Pick<CountQuery, 'counted'>,
): EventCount {
  if (counted === null) return NOT_REQUESTED;
  const event_count = counts.reduce((sum, each) => sum + (each.event_count ?? 0), 0);
  return counts.find((each) => each.event_count === null) ?? { event_count, event_count_reason: null };
}

/** How far before a stretch the search may follow a run that reaches into it. */
const WEEK = 7n * 86_400_000_000n;

/**
 * @param stretches within the interval, in order, without overlaps
 * @returns for each stretch, how many of the events that events.list finds in the interval start in it. If they have too
 *   many points, the oldest stretches are not counted
 */
export async function countEvents(
  store: Store,
  { interval, counted, now }: CountQuery,
  stretches: readonly Range[],
): Promise<EventCount[]> {
  if (counted === null) return stretches.map(() => NOT_REQUESTED);
  const criteria = { ...counted, spacing_seconds: await spacing(store, interval.to, now) };
  const whole = rangeOf(interval);
  // an event that goes on for longer than this after its stretch is long enough
  const after = microsIn(criteria.min_duration_seconds) + holdsOf(criteria).longest;
  const spent = { points: 0, read: 0 };
  const counts = stretches.map((): EventCount => TOO_MANY);
  for (const block of union(stretches).toReversed()) {
    const its = [...stretches.entries()].filter(([, { from, to }]) => from >= block.from && to <= block.to);
    const range = { from: later(whole.from, block.from - WEEK), to: earlier(whole.to, block.to + after) };
    const starts: bigint[] = [];
    let oldest = block.to;
    try {
      const options = { since: block.from, spent };
      for await (const runs of searchRunsBack(store, range, criteria, now, ALL_LIMITS, options)) {
        starts.push(...(await countedRuns(store, runs, criteria)).map(({ loud }) => loud));
        oldest = runs.at(-1)?.loud ?? oldest;
      }
      oldest = block.from;
    } catch (error) {
      if (!(error instanceof TooManyPoints)) throw error;
    }
    for (const [at, { from, to }] of its)
      if (from >= oldest) {
        const event_count = starts.filter((start) => start >= from && start < to).length;
        counts[at] = { event_count, event_count_reason: null };
      }
    if (oldest > block.from) break;
  }
  return counts;
}
