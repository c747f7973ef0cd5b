// Cuts the parts in which limits apply into the clock hours or quarter hours to be assessed.
import type { Interval } from '../../../contract/instant.ts';
import { instantOf } from '../../../contract/instant.ts';
import type { Assess } from '../../../contract/judgement.ts';
import { HOUR, localHours } from '../../local-days.ts';

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
    const to = part.to < until ? part.to : until;
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
