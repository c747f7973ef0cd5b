// The loudest or the longest noise events of an interval, page by page.
import { z } from 'zod';
import { instantOfMicros } from '../../../contract/instant.ts';
import { Instant } from '../../../contract/parameters.ts';
import type { Store } from '../../../rollups/store.ts';
import { type AllEventsQuery, allRuns } from '../all-runs.ts';
import { describeEvents } from '../describe-events.ts';
import { endsOf } from '../event-ends.ts';
import type { Rank } from './contract.ts';

/** The cursor of a page: the start of its last event, and the peak in dB or the duration in microseconds that ranks it. */
export const RankPosition = z.object({ time: Instant, value: z.number() });
export type RankPosition = z.infer<typeof RankPosition>;

/**
 * @param after the last event of the previous page
 * @returns at most `limit` events, the loudest or longest first, among equals the earlier first; `next` is the cursor of
 *   the next page, or null if there is none
 * @throws TooManyPoints
 */
export async function topEvents(
  store: Store,
  query: AllEventsQuery,
  { by, limit, after }: { by: Rank; limit: number; after?: RankPosition | undefined },
) {
  const runs = await allRuns(store, query);
  const values =
    by === 'level'
      ? runs.map(({ peak }) => peak ?? 0)
      : (await endsOf(store, runs, query.criteria)).map(({ loud, end }) => Number(end - loud));
  const ranked = runs
    .map((run, index) => ({ run, time: instantOfMicros(run.loud), value: values[index] ?? 0 }))
    .filter((event) => !after || inOrder(after, event) < 0)
    .sort(inOrder);
  const page = ranked.slice(0, limit);
  const newestFirst = page.map(({ run }) => run).toSorted((a, b) => (a.loud > b.loud ? -1 : 1));
  const ended = await endsOf(store, newestFirst, query.criteria);
  const events = new Map(
    (await describeEvents(store, query, ended, runs)).map((event) => [event.start, event]),
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
