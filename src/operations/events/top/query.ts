// The loudest or the longest noise events of an interval, page by page.
import { instantOfMicros } from '../../../contract/instant.ts';
import type { Store } from '../../../rollups/store.ts';
import { type AllEventsQuery, allRuns } from '../all-runs.ts';
import { describeEvents } from '../describe-events.ts';
import type { Criteria } from '../event-criteria.ts';
import { endsOf } from '../event-ends.ts';
import type { NoiseEvent } from '../list/contract.ts';
import type { EventRun } from '../search-runs-back.ts';
import type { Rank } from './contract.ts';

/** The cursor of a page: the start of its last event, and the value that ranks it. */
export interface RankPosition {
  readonly time: string;
  /** Its peak in dB, or its duration in microseconds. */
  readonly value: number;
}

interface TopEvents {
  readonly event_count: number;
  readonly events: NoiseEvent[];
  readonly next: RankPosition | null;
}

/**
 * @param after the last event of the previous page
 * @returns at most `limit` events, the loudest or longest first; among equals the earlier first
 * @throws TooManyPoints
 */
export async function topEvents(
  store: Store,
  query: AllEventsQuery,
  { by, limit, after }: { by: Rank; limit: number; after?: RankPosition | undefined },
): Promise<TopEvents> {
  const runs = await allRuns(store, query);
  const values =
    by === 'level' ? runs.map(({ peak }) => peak ?? 0) : await durationsOf(store, runs, query.criteria);
  const ranked = runs
    .map((run, index) => ({ run, time: instantOfMicros(run.loud), value: values[index] ?? 0 }))
    .filter((event) => !after || inOrder(after, event) < 0)
    .sort(inOrder);
  const page = ranked.slice(0, limit);
  const events = await describeRuns(
    store,
    query,
    page.map(({ run }) => run),
    runs,
  );
  const last = ranked.length > limit ? page.at(-1) : undefined;
  return {
    event_count: runs.length,
    events: page.flatMap(({ time }) => events.get(time) ?? []),
    next: last ? { time: last.time, value: last.value } : null,
  };
}

/** The larger value first; among equals the earlier first. */
const inOrder = (a: RankPosition, b: RankPosition) =>
  b.value - a.value || (a.time < b.time ? -1 : a.time > b.time ? 1 : 0);

/** The duration of the event of each run, in microseconds. */
async function durationsOf(store: Store, runs: readonly EventRun[], criteria: Criteria): Promise<number[]> {
  const ended = await endsOf(store, runs, criteria);
  return ended.map(({ loud, end }) => Number(end - loud));
}

/**
 * @param among all runs, newest first, from which `runs` were chosen
 * @returns the events by their starts, without events whose points were deleted meanwhile
 */
async function describeRuns(
  store: Store,
  query: AllEventsQuery,
  runs: readonly EventRun[],
  among: readonly EventRun[],
): Promise<Map<string, NoiseEvent>> {
  const newestFirst = runs.toSorted((a, b) => (a.loud > b.loud ? -1 : 1));
  const events = await describeEvents(store, query, await endsOf(store, newestFirst, query.criteria), among);
  return new Map(events.map((event) => [event.start, event]));
}
