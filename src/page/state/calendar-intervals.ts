// Spans of time, and those that follow the calendar of a time zone: today, last night, this week.
import { timeZoneClock } from '../../contract/time-zone-clock.ts';

/** In minutes since midnight. A night with an end before its start spans midnight. */
export interface NightTimes {
  readonly start: number;
  readonly end: number;
}

export const PRESETS = ['night', 'today', 'last-night', 'this-week'] as const;
export type Preset = (typeof PRESETS)[number] | Year;

/** This year, or the year with a number. */
export type Year = 'year' | `${number}`;

export const isYear = (preset: string | null): preset is Year => /^(year|(19|20)\d\d)$/.test(preset ?? '');

export const yearOf = (preset: Year, now: number, timeZone: string): number =>
  preset === 'year' ? new Date(timeZoneClock(timeZone).shows(now)).getUTCFullYear() : Number(preset);

export const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000] as const;

/**
 * @param now in ms since 1970
 * @returns today, this week (from Monday) or a year, up to now
 */
export function calendarInterval(
  preset: 'today' | 'this-week' | Year,
  now: number,
  timeZone: string,
): TimeSpan {
  const clock = timeZoneClock(timeZone);
  if (isYear(preset)) {
    const year = yearOf(preset, now, timeZone);
    const to = Math.min(clock.firstAt(Date.UTC(year + 1, 0)), now);
    return { from: Math.min(clock.firstAt(Date.UTC(year, 0)), to - HOUR_MS), to };
  }
  const today = Math.floor(clock.shows(now) / DAY_MS);
  const weekday = (today + 3) % 7; // 1970 began on a Thursday
  const from = clock.firstAt((preset === 'today' ? today : today - weekday) * DAY_MS);
  return { from: from < now ? from : now - HOUR_MS, to: now }; // at midnight, today has no length yet
}

/** The last night that has ended. */
export function lastNight(now: number, timeZone: string, { start, end }: NightTimes): TimeSpan {
  const clock = timeZoneClock(timeZone);
  const today = Math.floor(clock.shows(now) / DAY_MS);
  const at = (date: number, minute: number) => clock.firstAt(date * DAY_MS + minute * MINUTE_MS);
  const endingOn = (date: number) => ({
    from: at(end > start ? date : date - 1, start),
    to: at(date, end),
  });
  const latest = endingOn(today);
  return latest.to <= now ? latest : endingOn(today - 1);
}

/** The evening, the night and the early morning around the latest night that has begun, up to now. */
export function aroundNight(now: number, timeZone: string, night: NightTimes): TimeSpan {
  const next = lastNight(now + DAY_MS, timeZone, night);
  const { from, to } = next.from < now ? next : lastNight(now, timeZone, night);
  return { from: from - 2 * HOUR_MS, to: Math.min(to + 45 * MINUTE_MS, now) };
}

/** An interval of the same length that begins at the same time of day some days earlier, or later if `days` is negative. */
export function daysBefore({ from, to }: TimeSpan, days: number, timeZone: string): TimeSpan {
  const clock = timeZoneClock(timeZone);
  const start = clock.firstAt(clock.shows(from) - days * DAY_MS);
  return { from: start, to: start + (to - from) };
}

/** Half open, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}
