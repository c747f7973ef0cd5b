// Cuts an interval into the parts in which limits apply, and these into the hours or quarter hours to be assessed.
import { type Interval, instantOf } from '../../../contract/instant.ts';
import type { Assess, Limit } from '../../../contract/limits.ts';
import { minuteOfDay } from '../../../contract/minute-of-day.ts';
import { datesOf, HOUR, localHours } from '../../local-days.ts';

/** A stretch of time in which a limit applies, even outside the interval. */
export interface LimitedPart extends Interval {
  readonly limit: number;
  /** Its full clock hours or quarter hours, oldest first; undefined if the whole part is compared. */
  readonly stretches: readonly Interval[] | undefined;
}

/**
 * @param assess what limits without an `assess` of their own compare
 * @returns the whole parts that touch `[from, to)`, oldest first. If clocks skip the start of a limit, it starts at the
 *   clock change; if they repeat it, at the first of the two.
 */
export function limitParts(
  interval: Interval,
  timeZone: string,
  limits: readonly Limit[],
  assess: Assess,
  most: number,
): LimitedPart[] {
  return limits
    .flatMap((limit, number) => {
      const [first, last] = [minuteOfDay(limit.start), minuteOfDay(limit.end)];
      const { touched, startOf, dayAfter } = datesOf(interval, timeZone, first / 60, most);
      return touched.map(({ date, start: from }): LimitedPart => {
        const part = { from, to: startOf(last > first ? date : dayAfter(date), last / 60) };
        return { ...part, limit: number, stretches: stretchesOf(part, timeZone, limit.assess ?? assess) };
      });
    })
    .filter(({ from, to }) => from < to && to > interval.from)
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
}

const LENGTH_MS = { hour: HOUR, '15m': HOUR / 4 } as const;

function stretchesOf(part: Interval, timeZone: string, assess: Assess): Interval[] | undefined {
  if (assess === 'part') return undefined;
  const length = LENGTH_MS[assess];
  const hours = localHours(part, timeZone).map(Date.parse);
  return hours
    .slice(0, -1)
    .flatMap((hour, at) => startsIn(hour, hours[at + 1] ?? hour, length))
    .map((start) => ({ from: instantOf(start), to: instantOf(start + length) }))
    .filter(({ from, to }) => from >= part.from && to <= part.to);
}

/** @returns the starts of the stretches in an hour. A clock change may have shortened the hour */
function startsIn(hour: number, end: number, length: number): number[] {
  const count = Math.floor((end - hour) / length);
  return Array.from({ length: count }, (_, at) => hour + at * length);
}
