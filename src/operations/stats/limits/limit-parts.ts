// Cuts an interval into the parts in which limits apply, and these into the hours or quarter hours to be assessed.
import { type Interval, instantOf } from '../../../contract/instant.ts';
import type { Assess, Limit } from '../../../contract/limits.ts';
import { minuteOfDay } from '../../../contract/minute-of-day.ts';
import { clip, earlier } from '../../../contract/ranges.ts';
import { datesOf, HOUR, localHours } from '../../local-days.ts';

/** A stretch of time in which a limit applies: canonical instants, and the index of the limit. */
export interface LimitedPart extends Interval {
  readonly limit: number;
}

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
        return { limit, ...clip({ from: day.start, to: until }, interval) };
      });
    })
    .filter(({ from, to }) => from < to)
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
}

const LENGTH_MS = { hour: HOUR, '15m': HOUR / 4 } as const;

/**
 * @param until leaves out stretches that end later: they are incomplete
 * @returns each part's full clock hours or quarter hours; undefined if parts are compared whole
 */
export function assessedStretches(
  parts: readonly Interval[],
  timeZone: string,
  assess: Assess,
  until: string,
): Interval[][] | undefined {
  if (assess === 'part') return undefined;
  const length = LENGTH_MS[assess];
  return parts.map((part) => {
    const to = earlier(part.to, until);
    if (part.from >= to) return [];
    const hours = localHours({ from: part.from, to }, timeZone).map(Date.parse);
    return hours
      .slice(0, -1)
      .flatMap((hour, at) => startsIn(hour, hours[at + 1] ?? hour, length))
      .map((start) => ({ from: instantOf(start), to: instantOf(start + length) }))
      .filter((stretch) => stretch.from >= part.from && stretch.to <= to);
  });
}

/** @returns the starts of the stretches in an hour. A clock change may have shortened the hour */
function startsIn(hour: number, end: number, length: number): number[] {
  const count = Math.floor((end - hour) / length);
  return Array.from({ length: count }, (_, at) => hour + at * length);
}
