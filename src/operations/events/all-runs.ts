// Finds the runs of all noise events of an interval, with their peaks, newest first.
import type { Interval } from '../../contract/instant.ts';
import { rangeOf } from '../../contract/ranges.ts';
import type { Store } from '../../rollups/store.ts';
import { halfHourOf } from '../stats/backgrounds.ts';
import type { EventsQuery } from './describe-events.ts';
import type { Criteria } from './event-criteria.ts';
import { endsOf } from './event-ends.ts';
import { figuresOfEvents } from './event-figures.ts';
import { countedRuns } from './list/query.ts';
import { type EventRun, SEARCH_LIMITS, searchRunsBack } from './search-runs-back.ts';

/** The most points to read for all events of an interval. Most queries of that size reach a time limit first. */
export const ALL_LIMITS = { ...SEARCH_LIMITS, mostPoints: 2_000_000, mostRead: 10_000_000 };

export interface AllEventsQuery extends EventsQuery {
  readonly interval: Interval;
}

/** @returns newest first, each with its peak. @throws TooManyPoints */
export async function allRuns(
  store: Store,
  { interval, criteria, now }: AllEventsQuery,
  limits = ALL_LIMITS,
): Promise<EventRun[]> {
  const found: EventRun[] = [];
  for await (const runs of searchRunsBack(store, rangeOf(interval), criteria, now, limits, {
    needsPeaks: true,
  }))
    found.push(...(await countedRuns(store, runs, criteria)));
  return criteria.above_background === null ? found : withPeaks(store, found, criteria);
}

/** Adds the peaks. A peak may lie below the threshold of its half hour if the event began in an earlier one. */
async function withPeaks(store: Store, runs: readonly EventRun[], criteria: Criteria): Promise<EventRun[]> {
  const ended = await endsOf(store, runs, criteria);
  const later = ended.filter(({ loud, end }) => halfHourOf(loud) !== halfHourOf(end));
  const figures = await figuresOfEvents(store, later);
  const peaks = new Map(later.map(({ loud }, index) => [loud, figures[index]?.peak_db]));
  return runs.map((run) => ({ ...run, peak: peaks.get(run.loud) ?? run.peak }));
}
