// The clocks of a time zone: converts between instants and the times that the clocks show.

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A stretch of time between two clock changes. */
interface Stretch {
  readonly since: number;
  readonly offset: number;
}

/**
 * Returns the clocks of a zone from a day before `from` to a day after `to`, in ms since 1970.
 *
 * @param timeZone an IANA time zone
 * @throws RangeError if there is no such zone
 */
export function wallClock(timeZone: string, from: number, to: number) {
  const offsetAt = offsetsOf(timeZone);
  const first = Math.floor(from / SECOND) * SECOND - DAY; // clocks change at whole seconds
  const stretches: Stretch[] = [{ since: Number.NEGATIVE_INFINITY, offset: offsetAt(first) }];
  for (let at = first + DAY; at < to + 2 * DAY; at += DAY) {
    const before = stretches.at(-1)?.offset;
    if (offsetAt(at) === before) continue;
    let [last, since] = [at - DAY, at];
    while (since - last > SECOND) {
      const between = Math.floor((last + since) / 2 / SECOND) * SECOND;
      if (offsetAt(between) === before) last = between;
      else since = between;
    }
    stretches.push({ since, offset: offsetAt(since) });
  }
  return {
    /** The time on the clocks at an instant, in ms as if it were UTC. */
    shows: (instant: number) => instant + offsetAt(instant),
    /** The first instant, in ms, at which the clocks show this time or later: the clock change, if they skip it. */
    firstAt: (shown: number): number => {
      for (const [index, { since, offset }] of stretches.entries()) {
        const at = Math.max(since, shown - offset);
        if (at < (stretches[index + 1]?.since ?? Number.POSITIVE_INFINITY)) return at;
      }
      return shown;
    },
    /**
     * The starts of the hours that overlap `[from, to)`, oldest first, then the end of the last, in ms. An hour begins
     * at each full hour of the clocks, and at each clock change: a repeated hour is two hours, a skipped one none.
     */
    hours: (from: number, to: number): number[] => {
      const starts: number[] = [];
      for (const [index, { since, offset }] of stretches.entries()) {
        const until = stretches[index + 1]?.since ?? Number.POSITIVE_INFINITY;
        if (until <= from) continue;
        const whole = (instant: number) => Math.floor((instant + offset) / HOUR) * HOUR - offset;
        for (let at = Math.max(since, whole(Math.max(since, from))); at < until; at = whole(at + HOUR)) {
          starts.push(at);
          if (at >= to) return starts;
        }
      }
      return starts;
    },
  };
}

/** @returns how far the clocks of a zone are ahead of UTC, in ms, at an instant in ms since 1970 */
function offsetsOf(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (instant) => {
    // such as 1/1/1970, GMT+01:00; before standard time zones, offsets have seconds
    const [, sign, hours, minutes, seconds] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(instant)) ?? [];
    const offset = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    return (sign === '-' ? -offset : offset) * SECOND;
  };
}
