// Computes the noise indicators of local days: Lday, Levening, Lnight and Lden.
import type { Interval } from '../../../contract/instant.ts';
import { clip, earlier, rangeOf } from '../../../contract/ranges.ts';
import { spacing } from '../../../points/point-times.ts';
import { answerAll, nothingToRead } from '../../../rollups/rollup-planner.ts';
import type { Store } from '../../../rollups/store.ts';
import { type CountQuery, countEvents, sumOfCounts } from '../../events/count-events.ts';
import { intervalAt } from '../../periods.ts';
import { bucketsBetween, totalsByBucket, UNREAD_FOR_ENERGY } from '../buckets.ts';
import { measuredBetween } from '../coverage.ts';
import { anyOverload, overloadBetween } from '../overload-between.ts';
import { type Day, type Overall, WHOLE_DAY_PERCENT, type WholeDays } from './contract.ts';
import { addUpParts, averageIndicators, indicatorsOf, type Rating } from './noise-indicators.ts';

/** A local day: the starts of its day, evening and night, and the end of its night, as canonical instants. */
export interface LocalDay {
  readonly date: string;
  readonly starts: readonly [day: string, evening: string, night: string, end: string];
}

/** A month or year of local days, and the date on which it begins. */
export interface LocalSpan extends Interval {
  readonly date: string;
  readonly days_total: number;
}

export interface DaysQuery extends CountQuery {
  readonly localDays: readonly LocalDay[];
  /** The months or years to average; undefined by day. */
  readonly spans?: readonly LocalSpan[] | undefined;
  readonly rating: Rating;
}

/** If points are further apart, in milliseconds, minutes without a point show no gap. */
const MOST_BETWEEN_MS = 30_000;

/** @returns the indicators of each day, of the interval, and of all whole days together */
export async function days(
  store: Store,
  query: DaysQuery,
): Promise<{ days: Day[]; overall: Overall; whole_days: WholeDays }> {
  const { interval, localDays, spans, rating, now } = query;
  const cuts = [...localDays.flatMap(({ starts }) => starts.slice(0, 3)), localDays.at(-1)?.starts[3] ?? ''];
  const until = earlier(interval.to, now);
  const past = { from: interval.from, to: until };
  const usual = await spacing(store, interval.to, now);
  const isSparse = cuts
    .slice(1)
    .map((end) => (intervalAt(store, end) ?? 1000 * (usual ?? 0)) > MOST_BETWEEN_MS);
  const { counts: minutes, gaps, percents } = measuredBetween(store, past, cuts, usual);
  const [totals, found, isOverloaded] = await answerAll(store, [
    totalsByBucket(bucketsBetween(interval, cuts), rangeOf(past), UNREAD_FOR_ENERGY),
    isSparse.includes(true) ? gaps : nothingToRead([]),
    anyOverload(store, interval),
  ]);
  const coverage = percents(totals, found);
  const counts = totals.map(({ point_count }) => point_count);
  const overload = await overloadBetween(store, isOverloaded, interval, cuts, counts);
  const none = { nominal: 0, minutes: 0 };
  const parts = totals.map((part, at) => {
    const counted = minutes[at] ?? none;
    const measured = isSparse[at] ? ((coverage[at] ?? 0) / 100) * counted.minutes : part.minute_count;
    return { ...part, ...counted, measured, overload: overload.slice(at, at + 1) };
  });
  const covered = localDays.map(({ starts: [from, , , to] }) => rangeOf(clip({ from, to }, interval)));
  const events = await countEvents(store, query, covered);
  const each = localDays.map((day, at) => ({
    ...day,
    parts: parts.slice(3 * at, 3 * at + 3),
    events: events.slice(at, at + 1),
  }));
  type Some = typeof each;
  const eventsOf = (some: Some) =>
    sumOfCounts(
      some.flatMap(({ events }) => events),
      query.counted,
    );
  const indicators = (some: Some, of?: 'nominal') => ({
    ...indicatorsOf(
      [0, 1, 2].map((part) => addUpParts(some.flatMap(({ parts }) => parts[part] ?? []))),
      rating,
      undefined,
      of,
    ),
    ...eventsOf(some),
  });
  const isWhole = ({ starts: [from, , , to], parts }: Some[number]) =>
    from >= interval.from &&
    to <= until &&
    parts.every(({ minutes, measured }) => 100 * measured >= WHOLE_DAY_PERCENT * minutes);
  const whole = each.filter(isWhole);
  return {
    days:
      spans?.map((span) => {
        const some = whole.filter(({ starts: [from] }) => from >= span.from && from < span.to);
        const parts = some.map((day) => day.parts);
        return {
          ...span,
          days_whole: some.length,
          ...averageIndicators(parts, rating),
          ...eventsOf(some),
        };
      }) ??
      each.map((day) => ({
        date: day.date,
        from: day.starts[0],
        to: day.starts[3],
        days_whole: isWhole(day) ? 1 : 0,
        days_total: 1,
        ...indicators([day], 'nominal'),
      })),
    overall: indicators(each),
    whole_days: { days: whole.length, ...indicators(whole) },
  };
}
