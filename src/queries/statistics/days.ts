// Answers the noise indicators of local days: Lday, Levening, Lnight and Lden.
import { type Day, type Overall, WHOLE_DAY_PERCENT, type WholeDays } from '../../contract/days.ts';
import type { Interval } from '../../contract/instant.ts';
import { rangeOf } from '../../contract/ranges.ts';
import {
  addUpParts,
  indicatorsOf,
  type NominalHours,
  type PartOfDay,
} from '../../statistics/noise-indicators.ts';
import { answerAll } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/store.ts';
import { bucketsBetween } from './buckets.ts';
import { minutesBetween } from './minutes-between.ts';
import { totalsByBucket } from './totals-by-bucket.ts';

/** A day: the starts of its day, its evening and its night, and the end of its night, as canonical instants. */
export interface LocalDay {
  readonly date: string;
  readonly starts: readonly [day: string, evening: string, night: string, end: string];
}

/**
 * @param localDays the days that the interval touches, in order
 * @param now the clock of the request: what lies ahead cannot have been measured
 * @returns the indicators of each day, of all points of the interval, and of the days that are whole
 */
export async function days(
  store: Store,
  interval: Interval,
  localDays: readonly LocalDay[],
  nominalHours: NominalHours,
  now: string,
): Promise<{ days: Day[]; overall: Overall; whole_days: WholeDays }> {
  const cuts = [...localDays.flatMap(({ starts }) => starts.slice(0, 3)), localDays.at(-1)?.starts[3] ?? ''];
  const until = interval.to < now ? interval.to : now;
  const [totals, minutes] = await answerAll(store, [
    totalsByBucket(bucketsBetween(interval, cuts)),
    minutesBetween(rangeOf({ from: interval.from, to: until }), cuts),
  ]);
  const none = { minutes: 0, measured: 0 };
  const parts = totals.map((part, at): PartOfDay => ({ ...part, ...none, ...minutes[at] }));
  const found = localDays.map((day, at) => ({ ...day, parts: parts.slice(3 * at, 3 * at + 3) }));
  const indicators = (some: readonly (readonly PartOfDay[])[]) =>
    indicatorsOf(
      [0, 1, 2].map((part) => addUpParts(some.flatMap((parts) => parts[part] ?? []))),
      nominalHours,
    );
  const whole = found.filter(
    ({ starts: [from, , , to], parts }) =>
      from >= interval.from &&
      to <= until &&
      parts.every(({ minutes, measured }) => 100 * measured >= WHOLE_DAY_PERCENT * minutes),
  );
  return {
    days: found.map(({ date, starts: [from, , , to], parts }) => ({
      date,
      from,
      to,
      ...indicators([parts]),
    })),
    overall: indicators(found.map(({ parts }) => parts)),
    whole_days: { days: whole.length, ...indicators(whole.map(({ parts }) => parts)) },
  };
}
