// Counts the noise events that start in each of several stretches.
import type { Interval, Range } from '../../contract/instant.ts';
import { earlier, later, rangeOf, union } from '../../contract/ranges.ts';
import { spacing } from '../../points/point-times.ts';
import type { Store } from '../../rollups/store.ts';
import { DAY_MICROS } from '../stats/backgrounds.ts';
import { ALL_LIMITS } from './all-runs.ts';
import { isLong, openCountMemory, reachOf } from './count-memory.ts';
import type { CountCriteria } from './event-criteria.ts';
import type { EventCount } from './list/contract.ts';
import { countedRuns } from './list/query.ts';
import { type EventRun, searchRunsBack, TooManyPoints } from './search-runs-back.ts';

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
export function sumOfCounts(counts: readonly EventCount[], counted: CountCriteria | null): EventCount {
  if (counted === null) return NOT_REQUESTED;
  const event_count = counts.reduce((sum, each) => sum + (each.event_count ?? 0), 0);
  return counts.find((each) => each.event_count === null) ?? { event_count, event_count_reason: null };
}

/** How far before a stretch the search may follow a run that reaches into it. */
const WEEK = 7n * DAY_MICROS;

/**
 * @param stretches within the interval, in order, without overlaps
 * @returns for each stretch, how many of the events that events.list finds in the interval start in it. If they have too
 *   many points, the oldest stretches are not counted
 */
export async function countEvents(
  store: Store,
  { interval, counted, now }: CountQuery,
  stretches: readonly Range[],
  limits = ALL_LIMITS,
): Promise<EventCount[]> {
  if (counted === null) return stretches.map(() => NOT_REQUESTED);
  const criteria = { ...counted, spacing_seconds: await spacing(store, interval.to, now) };
  const whole = rangeOf(interval);
  const memory = await openCountMemory(store, criteria, whole, stretches);
  const counts = stretches.map((_, index) => memory.recall(index));
  const spent = { points: 0, read: 0 };
  for (const block of union(stretches.filter((_, index) => counts[index] === undefined)).toReversed()) {
    const range = {
      from: later(whole.from, block.from - WEEK),
      to: earlier(whole.to, block.to + reachOf(criteria)),
    };
    const far: EventRun[] = [];
    const starts: bigint[] = [];
    let oldest = block.to;
    try {
      const options = { since: block.from, spent };
      for await (const runs of searchRunsBack(store, range, criteria, now, limits, options)) {
        far.push(...runs.filter(isLong));
        starts.push(...(await countedRuns(store, runs, criteria)).map(({ loud }) => loud));
        oldest = runs.at(-1)?.loud ?? oldest;
      }
      oldest = block.from;
    } catch (error) {
      if (!(error instanceof TooManyPoints)) throw error;
    }
    let next = starts.findIndex((start) => start < block.to);
    for (const [index, { from, to }] of [...stretches.entries()].toReversed()) {
      if (from < block.from || to > block.to || from < oldest) continue;
      const first = next;
      while (next >= 0 && (starts[next] ?? from - 1n) >= from) next += 1;
      counts[index] = next - first;
      memory.remember(index, next - first, far);
    }
    if (oldest > block.from) break;
  }
  return counts.map((event_count) =>
    event_count === undefined ? TOO_MANY : { event_count, event_count_reason: null },
  );
}
