// The clocks of a time zone: converts between instants and the times that the clocks show. Both are in ms since 1970,
// a shown time as if it were UTC.

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const ZONE_ALLOWED = 'an IANA time zone or an offset, such as Europe/Vienna, UTC or +01:00';

/** Whether a text is as `ZONE_ALLOWED` says. */
export function isZone(text: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** The same without offsets, which have no summer time. */
export const isTimeZone = (text: string) => /^[A-Za-z]/.test(text) && isZone(text);

export type TimeZoneClock = ReturnType<typeof timeZoneClock>;

/** @throws RangeError if {@link isZone} is false */
export function timeZoneClock(zone: string) {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const midnights = new Map<number, number>();

  function readOffset(instant: number): number {
    // such as 1/1/1970, GMT+01:00; before standard time zones, offsets have seconds
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(instant)) ?? [];
    return (
      (sign === '-' ? -SECOND : SECOND) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
    );
  }

  /** At midnight of a UTC day, in days since 1970. */
  function midnightOffset(day: number): number {
    const known = midnights.get(day);
    if (known !== undefined) return known;
    const offset = readOffset(day * DAY);
    if (midnights.size > 9999) midnights.clear(); // more than ten years
    midnights.set(day, offset);
    return offset;
  }

  /** How far the clocks are ahead of UTC at an instant, in ms. They change at most once a day. */
  function offsetAt(instant: number): number {
    const day = Math.floor(instant / DAY);
    const offset = midnightOffset(day);
    return offset === midnightOffset(day + 1) ? offset : readOffset(instant);
  }

  /** @returns the first instant in `(from, to]` with another offset than `from`. Clocks change at whole seconds */
  function changeBetween(from: number, to: number): number {
    const before = offsetAt(from);
    let [last, since] = [Math.floor(from / SECOND), Math.ceil(to / SECOND)];
    while (since - last > 1) {
      const between = Math.floor((last + since) / 2);
      if (offsetAt(between * SECOND) === before) last = between;
      else since = between;
    }
    return since * SECOND;
  }

  /** The instants at which the clocks show a time, oldest first: none if they skip it, two if they repeat it. */
  function instantsOf(shown: number): number[] {
    const [before, after] = [offsetAt(shown - DAY), offsetAt(shown + DAY)];
    const offsets = before === after ? [before] : [Math.max(before, after), Math.min(before, after)];
    return offsets.map((offset) => shown - offset).filter((instant) => instant + offsetAt(instant) === shown);
  }

  /** The start of the hour of an instant: a full hour of the clocks, or a clock change since. */
  function startOfHour(instant: number): number {
    const offset = offsetAt(instant);
    const full = Math.floor((instant + offset) / HOUR) * HOUR - offset;
    return offsetAt(full) === offset ? full : changeBetween(full, instant);
  }

  function endOfHour(start: number): number {
    const offset = offsetAt(start);
    const full = (Math.floor((start + offset) / HOUR) + 1) * HOUR - offset;
    return offsetAt(full) === offset ? full : changeBetween(start, full);
  }

  return {
    offsetAt,
    instantsOf,
    shows: (instant: number) => instant + offsetAt(instant),
    /** The first instant at which the clocks show this time or later: the clock change, if they skip it. */
    firstAt: (shown: number) => {
      const offset = offsetAt(shown - DAY);
      // the usual case: ten years of days have thousands of them
      if (offset === offsetAt(shown + DAY) && offset === offsetAt(shown - offset)) return shown - offset;
      return instantsOf(shown)[0] ?? changeBetween(shown - DAY, shown + DAY);
    },
    /**
     * The starts of the hours that overlap `[from, to)`, oldest first, then the end of the last. An hour begins at each
     * full hour of the clocks, and at each clock change: a repeated hour is two hours, a skipped one none.
     */
    hours: (from: number, to: number): number[] => {
      let at = startOfHour(from);
      const starts = [at];
      while (at < to) {
        at = endOfHour(at);
        starts.push(at);
      }
      return starts;
    },
  };
}
