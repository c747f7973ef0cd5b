// Finds the instants of a log's times. In the hours that the clocks of its zone repeat, the order of the log decides.
import type { TimeZoneClock } from '../../contract/time-zone-clock.ts';

const DAY_MS = 86_400_000;

export interface LogClock extends Pick<TimeZoneClock, 'offsetAt'> {
  /**
   * For a time that occurs twice, returns the instant that keeps the log in order, forwards or backwards. If both do,
   * returns the one nearer to the previous time, or the first if that is over a day away.
   *
   * @param wallMs the clock time, in milliseconds since 1970 as if the zone were UTC
   * @returns milliseconds since 1970; undefined if the zone skips that time
   */
  instantOf(wallMs: number): number | undefined;
  /** How many of the times so far occur twice. */
  repeated(): number;
  copy(): LogClock;
}

/** Before the first time: no previous instant, and no earlier one that differed from it. */
const NONE = { before: Number.NaN, other: Number.NaN, repeated: 0 };

export function createLogClock(clock: TimeZoneClock, { before, other, repeated } = NONE): LogClock {
  /** Chooses between the two instants of a repeated time. */
  function choose(early: number, late: number): number {
    repeated += 1;
    if (Math.abs(before - early) > DAY_MS) return early;
    // equal times mean the same instant, unless the log's spacing is at least as long as the repeated interval
    const isPast = (instant: number) =>
      before === instant && Math.abs(before - other) >= late - early && Math.abs(before - other) <= DAY_MS;
    if (before < other) return late <= before && !isPast(late) ? late : early;
    return early < before || isPast(early) ? late : early;
  }

  return {
    offsetAt: clock.offsetAt,
    instantOf(wallMs) {
      const [first, second] = clock.instantsOf(wallMs);
      if (first === undefined) return undefined;
      const instant = second === undefined ? first : choose(first, second);
      if (instant !== before) [before, other] = [instant, before];
      return instant;
    },
    repeated: () => repeated,
    copy: () => createLogClock(clock, { before, other, repeated }),
  };
}
