// Computes the noise indicators of local days: Lday, Levening, Lnight and Lden.
import type { Interval } from '../../../contract/instant.ts';
import { clip, earlier, rangeOf } from '../../../contract/ranges.ts';
import { spacing } from '../../../points/point-times.ts';
import { answerAll } from '../../../rollups/rollup-planner.ts';
import type { Store } from '../../../rollups/store.ts';
import { eventStarts } from '../../events/event-starts.ts';
import { bucketsBetween, totalsByBucket } from '../buckets.ts';
import { anyOverload, overloadBetween } from '../overload-between.ts';
import { type Day, type Overall, WHOLE_DAY_PERCENT, type WholeDays } from './contract.ts';
import { minutesBetween } from './minutes-between.ts';
import { addUpParts, indicatorsOf, type PartOfDay, type Rating } from './noise-indicators.ts';

/** A local day: the starts of its day, evening and night, and the end of its night, as canonical instants. */
export interface LocalDay {
  readonly date: string;
  readonly starts: readonly [day: string, evening: string, night: string, end: string];
}

export interface DaysQuery {
  readonly interval: Interval;
  /** The days that the interval touches, in order. */
  readonly localDays: readonly LocalDay[];
  readonly rating: Rating;
  /** For noise events, on the scale of the stored points; null if events are not counted. */
  readonly threshold: number | null;
  /** The time of the request: what lies ahead cannot have been measured. */
  readonly now: string;
}

/** @returns the indicators of each day, of the interval, and of all whole days together, in stored levels */
export async function days(
  store: Store,
  { interval, localDays, rating, threshold, now }: DaysQuery,
): Promise<{ days: Day[]; overall: Overall; whole_days: WholeDays }> {
  const cuts = [...localDays.flatMap(({ starts }) => starts.slice(0, 3)), localDays.at(-1)?.starts[3] ?? ''];
  const until = earlier(interval.to, now);
  const [totals, minutes, isOverloaded] = await answerAll(store, [
    totalsByBucket(bucketsBetween(interval, cuts)),
    minutesBetween(rangeOf({ from: interval.from, to: until }), cuts),
    anyOverload(store, interval),
  ]);
  const counts = totals.map(({ point_count }) => point_count);
  const overload = await overloadBetween(store, isOverloaded, interval, cuts, counts);
  const none = { nominal: 0, minutes: 0, measured: 0 };
  const parts = totals.map((part, at) => ({
    ...part,
    ...(minutes[at] ?? none),
    overload: overload.slice(at, at + 1),
  }));
  const events = threshold === null ? null : await eventsByDay(store, interval, localDays, threshold, now);
  const found = localDays.map((day, at) => ({
    ...day,
    parts: parts.slice(3 * at, 3 * at + 3),
    event_count: events?.[at] ?? null,
  }));
  const indicators = (some: readonly { parts: readonly PartOfDay[]; event_count: number | null }[]) => ({
    ...indicatorsOf(
      [0, 1, 2].map((part) => addUpParts(some.flatMap(({ parts }) => parts[part] ?? []))),
      rating,
    ),
    event_count: events && some.reduce((sum, { event_count }) => sum + (event_count ?? 0), 0),
  });
  const whole = found.filter(
    ({ starts: [from, , , to], parts }) =>
      from >= interval.from &&
      to <= until &&
      parts.every(({ minutes, measured }) => 100 * measured >= WHOLE_DAY_PERCENT * minutes),
  );
  const ofNominal = ({ parts, ...day }: (typeof found)[number]) => ({
    ...day,
    parts: parts.map((part) => ({ ...part, minutes: part.nominal })),
  });
  return {
    days: found.map((day) => ({
      date: day.date,
      from: day.starts[0],
      to: day.starts[3],
      ...indicators([ofNominal(day)]),
    })),
    overall: indicators(found),
    whole_days: { days: whole.length, ...indicators(whole) },
  };
}

/** @returns the number of events that start in each day, within the interval; null if too many points are loud */
async function eventsByDay(
  store: Store,
  interval: Interval,
  localDays: readonly LocalDay[],
  threshold: number,
  now: string,
): Promise<number[] | null> {
  const spacing_seconds = await spacing(store, interval.to, now);
  const stretches = localDays.map(({ starts: [from, , , to] }) => rangeOf(clip({ from, to }, interval)));
  return eventStarts(store, { interval, threshold, spacing_seconds, now }, stretches);
}
