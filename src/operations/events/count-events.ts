// Counts the noise events that start in each of several stretches.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ceilTo, floorTo, type Interval, type Range } from '../../contract/instant.ts';
import { earlier, later, rangeOf, union } from '../../contract/ranges.ts';
import { spacing } from '../../points/point-times.ts';
import { stampsOf } from '../../rollups/stamps.ts';
import type { Rollups, Store } from '../../rollups/store.ts';
import { touchingHistory } from '../history-ends.ts';
import { DAY_MICROS, HALF_HOUR } from '../stats/backgrounds.ts';
import { ALL_LIMITS } from './all-runs.ts';
import { type CountCriteria, type Criteria, holdsOf, microsIn } from './event-criteria.ts';
import type { EventCount } from './list/contract.ts';
import { countedRuns } from './list/query.ts';
import { type EventRun, searchRunsBack, TooManyPoints } from './search-runs-back.ts';

export interface CountQuery {
  readonly interval: Interval;
  readonly counted: CountCriteria | null;
  readonly now: string;
}

const NOT_REQUESTED: EventCount = { event_count: null, event_count_reason: 'not_requested' };
const REMOVED: EventCount = { event_count: null, event_count_reason: 'points_removed' };
const TOO_MANY: EventCount = { event_count: null, event_count_reason: 'too_many_points' };

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
  const gone = await touchingHistory(store, stretches);
  const spent = { points: 0, read: 0 };
  for (const block of union(
    stretches.filter((_, index) => counts[index] === undefined && !gone.has(index)),
  ).toReversed()) {
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
  return counts.map((event_count, index) => {
    if (gone.has(index)) return REMOVED;
    return event_count === undefined ? TOO_MANY : { event_count, event_count_reason: null };
  });
}

/** The most counts to remember for a station: ten years of days. */
const MOST_COUNTS = 4000;
const HOUR = 3_600_000_000n;

const memories = new WeakMap<Rollups, LRUCache<string, number>>();

/** @param stretches within the interval, in order, in microseconds since 1970 */
async function openCountMemory(
  store: Store,
  criteria: Criteria,
  interval: Range,
  stretches: readonly Range[],
) {
  const { rollups } = store;
  const counts = memories.get(rollups) ?? new LRUCache({ maxSize: MOST_COUNTS, sizeCalculation: () => 1 });
  memories.set(rollups, counts);
  const keys = await keysOf(store, criteria, interval, stretches);
  return {
    /** @returns the count of a stretch by its index; undefined if it is unknown */
    recall: (index: number) => counts.get(keys[index] ?? ''),
    /** @param long the long runs of events. If one began far before the stretch, the key does not cover its start */
    remember(index: number, count: number, long: readonly EventRun[]): void {
      const [key, { from } = interval] = [keys[index], stretches[index]];
      const isFar = ({ first, last }: EventRun) => first < from - HOUR && last >= from;
      if (key !== undefined && !long.some(isFar)) counts.set(key, count);
    },
  };
}

/** Undefined for a stretch with points that no stored bucket counts, such as new ones. */
async function keysOf(store: Store, criteria: Criteria, interval: Range, stretches: readonly Range[]) {
  // a run may begin an hour before its stretch, and the hold of another may last until then
  const back = criteria.above_background === null ? 2n * HOUR : 2n * HOUR + 8n * DAY_MICROS;
  const after = reachOf(criteria);
  const sources = stretches.map(({ from, to }) => ({
    from: floorTo(from - back, DAY_MICROS),
    to: ceilTo(earlier(to + after, interval.to), HALF_HOUR),
  }));
  const stamps = await stampsOf(store, sources);
  return stretches.map(({ from, to }, index) => {
    const stamp = stamps[index];
    if (stamp === undefined) return undefined;
    const ends = [later(interval.from, from - 2n * HOUR), from, to, earlier(to + after, interval.to)];
    const all = JSON.stringify([criteria, ends.map(String), stamp]);
    return createHash('md5').update(all).digest('base64url');
  });
}

/** Whether a run may reach into a stretch from more than an hour before it. */
export const isLong = ({ first, last }: EventRun) => last - first > HOUR;

/** How far after a stretch points can matter: an event that goes on until then is long enough. */
const reachOf = (criteria: Criteria) => microsIn(criteria.min_duration_seconds) + holdsOf(criteria).longest;
