// Noise events, newest first, page by page.
import { instantOfMicros } from '../../../contract/instant.ts';
import { isWithin, rangeOf } from '../../../contract/ranges.ts';
import { excludedOf, type Store } from '../../../rollups/store.ts';
import { describeEvents, type EventsQuery } from '../describe-events.ts';
import { type Criteria, microsIn } from '../event-criteria.ts';
import { type EndedRun, endsOf, MOST_AT_ONCE } from '../event-ends.ts';
import { type EventRun, SEARCH_LIMITS, type SearchLimits, searchRunsBack } from '../search-runs-back.ts';

export interface NoiseEventsQuery extends EventsQuery {
  readonly limit: number;
  readonly before?: string | undefined;
}

/** The expected points above the floor per event: half a minute at 10 Hz. With more, a search takes more steps. */
const POINTS_OF_EVENT = 300;

/** @returns newest first; `next` is the first point of this page's oldest run, or null. @throws TooManyPoints */
export async function noiseEvents(
  store: Store,
  query: NoiseEventsQuery,
  limits: SearchLimits = SEARCH_LIMITS,
) {
  const { runs, isWhole } = await findRuns(store, query, limits);
  const events = await describeEvents(store, query, runs, runs);
  const oldest = runs.at(-1);
  return { events, next: isWhole || !oldest ? null : instantOfMicros(oldest.first) };
}

async function findRuns(
  store: Store,
  { interval, criteria, limit, now, before }: NoiseEventsQuery,
  limits: SearchLimits,
): Promise<{ runs: EndedRun[]; isWhole: boolean }> {
  const range = rangeOf({ from: interval.from, to: before ?? interval.to });
  const firstPoints = Math.min(limits.firstPoints, POINTS_OF_EVENT * (limit + 1));
  const found: EventRun[] = [];
  for await (const runs of searchRunsBack(store, range, criteria, now, { ...limits, firstPoints })) {
    while (runs.length > 0 && found.length <= limit)
      found.push(...(await countedRuns(store, runs.splice(0, MOST_AT_ONCE), criteria)));
    if (found.length > limit)
      return { runs: await endsOf(store, found.slice(0, limit), criteria), isWhole: false };
  }
  return { runs: await endsOf(store, found, criteria), isWhole: true };
}

/** @returns runs that last long enough and start in no excluded range. Searches for an end only if it is unclear */
export async function countedRuns(store: Store, all: readonly EventRun[], criteria: Criteria) {
  const excluded = excludedOf(store);
  const runs = all.filter(({ loud }) => !isWithin(excluded, loud));
  const shortest = microsIn(criteria.min_duration_seconds);
  const unsure = runs.filter(({ loud, last }) => last - loud < shortest);
  const ended = await endsOf(store, unsure, criteria);
  const short = new Set(ended.filter(({ loud, end }) => end - loud < shortest).map(({ loud }) => loud));
  return runs.filter(({ loud }) => !short.has(loud));
}
