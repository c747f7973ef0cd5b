// Cuts an interval into the stretches in which limits by time of day apply.
import type { Interval } from '../../../contract/instant.ts';
import type { Limit } from '../../../contract/limits.ts';
import { minuteOfDay } from '../../../contract/minute-of-day.ts';
import { datesOf } from '../../local-days.ts';
import type { LimitedPart } from './query.ts';

/**
 * @returns the parts of `[from, to)` in which a limit applies, oldest first. If clocks skip the start of a limit, it
 *   starts at the clock change; if they repeat it, at the first of the two.
 */
export function limitParts(
  interval: Interval,
  timeZone: string,
  limits: readonly Limit[],
  most: number,
): LimitedPart[] {
  return limits
    .flatMap(({ start, end }, limit) => {
      const [first, last] = [minuteOfDay(start), minuteOfDay(end)];
      const { touched, startOf, dayAfter } = datesOf(interval, timeZone, first / 60, most);
      return touched.map((day): LimitedPart => {
        const until = startOf(last > first ? day.date : dayAfter(day.date), last / 60);
        return {
          limit,
          from: day.start > interval.from ? day.start : interval.from,
          to: until < interval.to ? until : interval.to,
        };
      });
    })
    .filter(({ from, to }) => from < to)
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
}
