// The days, evenings, nights and hours of a time zone, and the weeks, months and years of its calendar.
import { LRUCache } from 'lru-cache';
import { FIRST_INSTANT, floorTo, type Interval, instantOf, microsOf } from '../contract/instant.ts';
import { type TimeZoneClock, timeZoneClock } from '../contract/time-zone-clock.ts';
import { badParameter } from '../errors.ts';
import type { LocalDay, LocalSpan } from './stats/days/query.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
const FIRST = Date.parse(FIRST_INSTANT);
const LAST = Date.parse('9999-12-31T23:59:59Z');

/**
 * @returns the days that overlap `[from, to)`, oldest first. If clocks skip the start of a part, it starts at the clock
 *   change; if they repeat it, at the first of the two. A skipped date is left out.
 */
export function localDays(
  { from, to }: Interval,
  timeZone: string,
  { day_start, evening_start, night_start }: Record<'day_start' | 'evening_start' | 'night_start', number>,
  most: number,
): LocalDay[] {
  const { touched, startOf } = datesOf({ from, to }, timeZone, day_start, most);
  return touched.map(({ date, start, end }) => {
    const starts = [start, startOf(date, evening_start), startOf(date, night_start), end] as const;
    return { date: new Date(date * DAY).toISOString().slice(0, 10), starts };
  });
}

/**
 * @returns the starts of the days, midnight to midnight, that overlap `[from, to)`, oldest first, then the end of the
 *   last. If the zone skips midnight, a day begins at the clock change.
 */
export function localMidnights(interval: Interval, timeZone: string, most: number): string[] {
  const { touched } = datesOf(interval, timeZone, 0, most);
  return [...touched.map(({ start }) => start), touched.at(-1)?.end ?? interval.to];
}

/** Days from a Monday to 1 January 1970. */
const SINCE_MONDAY = 3;

/** The number of the week, month or year of a date, and the date on which it begins, in ms since 1970. */
const CALENDAR = {
  '1w': {
    numberOf: (shown: Date) => Math.floor((shown.getTime() / DAY + SINCE_MONDAY) / 7),
    startOf: (week: number) => (7 * week - SINCE_MONDAY) * DAY,
  },
  '1mo': {
    numberOf: (shown: Date) => 12 * shown.getUTCFullYear() + shown.getUTCMonth(),
    startOf: (month: number) => new Date(0).setUTCFullYear(0, month, 1),
  },
  '1y': {
    numberOf: (shown: Date) => shown.getUTCFullYear(),
    startOf: (year: number) => new Date(0).setUTCFullYear(year, 0, 1),
  },
} as const;

export type CalendarUnit = keyof typeof CALENDAR;
export const isCalendarUnit = (name: string): name is CalendarUnit => Object.hasOwn(CALENDAR, name);

/**
 * @param hour the hour at which each day begins
 * @returns the starts of the weeks, months or years that overlap `[from, to)`, oldest first, then the end of the last.
 *   If the zone skips the first hour, they begin at the clock change.
 */
export function calendarStarts({ from, to }: Interval, timeZone: string, unit: CalendarUnit, hour = 0) {
  const { shows, firstAt } = clockOf(timeZone);
  const { numberOf, startOf } = CALENDAR[unit];
  const startAt = (number: number) => instant(firstAt(startOf(number) + hour * HOUR));
  let number = numberOf(new Date(shows(Date.parse(from)))) + 1;
  while (startAt(number) > from) number -= 1;
  const starts = [startAt(number)];
  for (let start = from; start < to; starts.push(start)) start = startAt(++number);
  return starts;
}

/** @param hour the hour at which each day begins. @returns the whole months or years that overlap the interval */
export function calendarSpans(
  interval: Interval,
  timeZone: string,
  unit: CalendarUnit,
  hour: number,
): LocalSpan[] {
  const starts = calendarStarts(interval, timeZone, unit, hour);
  const { shows } = clockOf(timeZone);
  return starts.slice(1).map((to, at) => {
    const { [at]: from = to } = starts;
    const date = new Date(shows(Date.parse(from))).toISOString().slice(0, 10);
    return { date, from, to, days_total: shownCount({ from, to }, timeZone, DAY, hour) };
  });
}

/** Counts them without listing them. If clocks go back at the start of one, the count may be one too low. */
export function calendarCount({ from, to }: Interval, timeZone: string, unit: CalendarUnit): number {
  const { shows } = clockOf(timeZone);
  const numberAt = (at: number) => CALENDAR[unit].numberOf(new Date(shows(at)));
  return numberAt(ceilToMs(to) - 1) - numberAt(Date.parse(from)) + 1;
}

/** @returns when the clocks of a zone first show a date, or the next date if they skip it */
export const startOfDate = (date: string, timeZone: string): string =>
  instant(clockOf(timeZone).firstAt(Date.parse(date)));

/** @returns the starts of the clock hours that overlap `[from, to)`, oldest first, then the end of the last */
export const localHours = ({ from, to }: Interval, timeZone: string): string[] =>
  clockOf(timeZone).hours(Date.parse(from), ceilToMs(to)).map(instant);

/**
 * Counts the local hours or days that overlap `[from, to)`, without listing them. If clocks change by part of an hour,
 * the count of hours may be off by one for each change.
 *
 * @param unit an hour or a day, in ms
 * @param hour the hour at which each day begins
 */
export function shownCount({ from, to }: Interval, timeZone: string, unit: number, hour = 0): number {
  const [first, last] = [Date.parse(from), ceilToMs(to) - 1];
  const { shows, offsetAt } = clockOf(timeZone);
  const indexAt = (at: number) => Math.floor((shows(at) - hour * HOUR) / unit);
  const shift = offsetAt(last) - offsetAt(first);
  return indexAt(last) - indexAt(first) + 1 - Math.trunc(shift / unit);
}

/**
 * @param hour the hour at which each day begins, with or without a fraction
 * @returns `touched`: the days that overlap the interval, with dates in days since 1970; `startOf`: the first instant
 *   at which clocks show an hour of a date; `dayAfter`: the next date that exists in the zone
 */
export function datesOf({ from, to }: Interval, timeZone: string, hour: number, most: number) {
  if (shownCount({ from, to }, timeZone, DAY, hour) > most)
    throw badParameter('from', `must be later: the interval may overlap at most ${most} days`);
  const clock = clockOf(timeZone);
  const firstAt = (date: number, hour: number) => clock.firstAt(date * DAY + Math.round(hour * HOUR));
  const startOf = (date: number, hour: number) => instant(firstAt(date, hour));
  const beside = (date: number, step: 1 | -1): number => {
    const next = date + step;
    return firstAt(next, 0) < firstAt(next + 1, 0) ? next : beside(next, step);
  };
  const touched: { date: number; start: string; end: string }[] = [];
  let date = beside(Math.floor(clock.shows(Date.parse(from)) / DAY), 1);
  while (firstAt(date, hour) > Date.parse(from)) date = beside(date, -1);
  for (let start = startOf(date, hour); start < to; ) {
    const next = beside(date, 1);
    const end = startOf(next, hour);
    touched.push({ date, start, end });
    [date, start] = [next, end];
  }
  return { touched, startOf, dayAfter: (date: number) => beside(date, 1) };
}

/** @throws if there is no such zone */
export function assertTimeZone(timeZone: string): void {
  clockOf(timeZone);
}

/** Reading a clock takes a millisecond, and for ten years of days ten. */
const clocks = new LRUCache<string, TimeZoneClock>({ max: 10 });

function clockOf(timeZone: string) {
  try {
    const clock = clocks.get(timeZone) ?? timeZoneClock(timeZone);
    clocks.set(timeZone, clock);
    return clock;
  } catch {
    throw badParameter('time_zone', 'must be an IANA time zone, such as Europe/Vienna or UTC');
  }
}

const ceilToMs = (time: string) => -Number(floorTo(-microsOf(time), 1000n) / 1000n);

function instant(epochMs: number): string {
  if (epochMs < FIRST) throw badParameter('from', 'must lie in a day that begins in year 0001 or later');
  if (epochMs > LAST) throw badParameter('to', 'must lie in a day that ends in year 9999 or before');
  return instantOf(epochMs);
}
