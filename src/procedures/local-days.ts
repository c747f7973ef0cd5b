// The days, evenings and nights of a time zone.
import { Temporal } from 'temporal-polyfill';
import { FIRST_INSTANT, instantOfMicros, microsOf } from '../contract/instant.ts';
import { badParameter } from '../errors.ts';

const [FIRST, LAST] = [microsOf(FIRST_INSTANT), microsOf('9999-12-31T23:59:59.999999Z')];

/** The hours at which the three begin. */
export interface Hours {
  readonly day_start: number;
  readonly evening_start: number;
  readonly night_start: number;
}

export interface LocalDay {
  readonly date: string;
  /** Where the day, the evening and the night begin, and where the night ends: canonical instants. */
  readonly starts: readonly [day: string, evening: string, night: string, end: string];
}

/**
 * @param most how many days there may be
 * @returns the days that `[from, to)` touches, oldest first. They last as long as they do in the zone: an hour less
 *   or more where clocks change. An hour that is skipped begins when the clocks have changed, one that comes twice
 *   the first time.
 * @throws AppError BAD_REQUEST for a zone that is none, hours out of order, and where there are more days than `most`
 */
export function localDays(
  { from, to }: { from: string; to: string },
  timeZone: string,
  hours: Hours,
  most: number,
): LocalDay[] {
  const { day_start, evening_start, night_start } = hours;
  if (evening_start <= day_start) throw badParameter('evening_start', 'must be later than day_start');
  if (night_start <= evening_start) throw badParameter('night_start', 'must be later than evening_start');
  const startOf = (date: Temporal.PlainDate, hour: number) => {
    const { epochNanoseconds } = date.toZonedDateTime({ timeZone, plainTime: { hour } });
    const micros = epochNanoseconds / 1000n;
    if (micros < FIRST || micros > LAST)
      throw badParameter('from', 'and to must lie in days that begin and end in the years 0001 to 9999');
    return instantOfMicros(micros);
  };
  const days: LocalDay[] = [];
  let date = dateOf(from, timeZone);
  let start = startOf(date, day_start);
  if (start > from) {
    date = date.subtract({ days: 1 });
    start = startOf(date, day_start);
  }
  while (start < to) {
    if (days.length === most) throw badParameter('from', `must be at most ${most} days before to`);
    const next = date.add({ days: 1 });
    const end = startOf(next, day_start);
    const starts = [start, startOf(date, evening_start), startOf(date, night_start), end] as const;
    days.push({ date: date.toString(), starts });
    [date, start] = [next, end];
  }
  return days;
}

function dateOf(instant: string, timeZone: string): Temporal.PlainDate {
  try {
    return Temporal.Instant.from(instant).toZonedDateTimeISO(timeZone).toPlainDate();
  } catch {
    throw badParameter('time_zone', 'must be an IANA time zone, such as Europe/Vienna or UTC');
  }
}
