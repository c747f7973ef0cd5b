// Counts all noise events of an interval, bucket by bucket.
import {
  type Interval,
  instantOf,
  instantOfMicros,
  microsOf,
  type Range,
} from '../../../contract/instant.ts';
import type { Store } from '../../../rollups/store.ts';
import { backgroundsIn, HALF_HOUR, halfHourOf } from '../../stats/backgrounds.ts';
import { startsOf } from '../../stats/buckets.ts';
import { type AllEventsQuery, allRuns } from '../all-runs.ts';
import { describeEvents } from '../describe-events.ts';
import { thresholdOf } from '../event-criteria.ts';
import { endsOf } from '../event-ends.ts';
import { higher } from '../search-runs-back.ts';
import type { EventBucket } from './contract.ts';

/** @param cuts the starts of the buckets, then the last end. @returns events by their starts. @throws TooManyPoints */
export async function eventSeries(store: Store, query: AllEventsQuery, cuts: readonly string[]) {
  const runs = await allRuns(store, query);
  const lowestThreshold = await thresholdsIn(store, query);
  const bounds = cuts.map(microsOf);
  const buckets = bounds.slice(0, -1).map((from, index): EventBucket => {
    const threshold_db = lowestThreshold({ from, to: bounds[index + 1] ?? from });
    return { time: instantOfMicros(from), event_count: 0, peak_db: null, threshold_db };
  });
  let index = buckets.length - 1;
  for (const { loud, peak } of runs) {
    while (index > 0 && (bounds[index] ?? loud) > loud) index -= 1;
    const bucket = buckets[index];
    if (!bucket) continue;
    bucket.event_count += 1;
    bucket.peak_db = higher(bucket.peak_db, peak);
  }
  const peak_db = runs.reduce<number | null>((most, { peak }) => higher(most, peak), null);
  const loudest = runs.filter(({ peak }) => peak === peak_db).slice(-1); // the earliest one
  const [described] = await describeEvents(store, query, await endsOf(store, loudest, query.criteria), runs);
  return { event_count: runs.length, peak_db, peak_at: described?.peak_at ?? null, buckets };
}

/** @returns canonical instants: the starts of the buckets that touch the interval, and the end of the last */
export function cutsBetween(interval: Interval, seconds: number): string[] {
  const starts = startsOf(interval, seconds);
  const ends = starts.slice(-1).map((start) => start + seconds);
  return [...starts, ...ends].map((start) => instantOf(start * 1000));
}

/** @returns a function that gives the lowest threshold of a range within the interval; null if none is known */
async function thresholdsIn(
  store: Store,
  { interval, criteria }: AllEventsQuery,
): Promise<(range: Range) => number | null> {
  if (criteria.threshold !== null) return () => criteria.threshold;
  const [from, to] = [microsOf(interval.from), microsOf(interval.to)];
  const backgrounds = await backgroundsIn(store, [{ from, to }]);
  return (bucket) => {
    const end = bucket.to < to ? bucket.to : to;
    let lowest: number | null = null;
    for (let start = halfHourOf(bucket.from > from ? bucket.from : from); start < end; start += HALF_HOUR) {
      const threshold = thresholdOf(backgrounds.of(start), criteria);
      if (threshold !== null && (lowest === null || threshold < lowest)) lowest = threshold;
    }
    return lowest;
  };
}
