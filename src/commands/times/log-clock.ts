// Finds the instants of a log's times. In the hours that the clocks of its zone repeat, the order of the log decides.
import type { TimeZoneClock } from '../../contract/time-zone-clock.ts';

const DAY_MS = 86_400_000;

/** What a log has shown so far. */
export interface LogOrder {
  /** The previous instant, and the one before it that differed. */
  before: number;
  other: number;
  /** How many times occur twice. */
  repeated: number;
}

export const NO_ORDER: Readonly<LogOrder> = { before: Number.NaN, other: Number.NaN, repeated: 0 };

/** A clock may be this far ahead. */
const AHEAD_MS = 900_000;

/** The order of lines that arrive by themselves: a first time that occurs twice is the instant nearer to the arrival. */
export const arrivingAt = (ms: number): LogOrder => ({
  before: ms + AHEAD_MS,
  other: Number.POSITIVE_INFINITY,
  repeated: 0,
});

/**
 * For a time that occurs twice, returns the instant that keeps the log in order, forwards or backwards. If both do,
 * returns the one nearer to the previous time, or the first if that is over a day away.
 *
 * @param wallMs the clock time, in milliseconds since 1970 as if the zone were UTC
 * @returns milliseconds since 1970; undefined if the zone skips that time
 */
export function instantInLog(log: LogOrder, clock: TimeZoneClock, wallMs: number): number | undefined {
  const [early, late] = clock.instantsOf(wallMs);
  const instant = early === undefined || late === undefined ? early : choose(log, early, late);
  if (late !== undefined) log.repeated += 1;
  if (instant !== undefined && instant !== log.before) [log.before, log.other] = [instant, log.before];
  return instant;
}

/** Chooses between the two instants of a repeated time. */
function choose({ before, other }: LogOrder, early: number, late: number): number {
  if (Math.abs(before - early) > DAY_MS) return early;
  // equal times mean the same instant, unless the log's spacing is at least as long as the repeated interval
  const isPast = (instant: number) =>
    before === instant && Math.abs(before - other) >= late - early && Math.abs(before - other) <= DAY_MS;
  if (before < other) return late <= before && !isPast(late) ? late : early;
  return early < before || isPast(early) ? late : early;
}
