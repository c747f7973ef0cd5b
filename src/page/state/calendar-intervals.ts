// Spans of time, and those that follow the calendar of a time zone: today, last night, this week.
import { timeZoneClock } from '../../contract/time-zone-clock.ts';

/** In minutes since midnight. A night with an end before its start spans midnight. */
export interface NightTimes {
  readonly start: number;
  readonly end: number;
}

export const PRESETS = ['today', 'last-night', 'this-week'] as const;
export type Preset = (typeof PRESETS)[number];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * @param now in ms since 1970
 * @returns today or this week (from Monday), up to now
 */
export function calendarInterval(
  preset: Exclude<Preset, 'last-night'>,
  now: number,
  timeZone: string,
): TimeSpan {
  const clock = timeZoneClock(timeZone);
  const today = Math.floor(clock.shows(now) / DAY);
  const weekday = (today + 3) % 7; // 1970 began on a Thursday
  const from = clock.firstAt((preset === 'today' ? today : today - weekday) * DAY);
  return { from: from < now ? from : now - HOUR, to: now }; // at midnight, today has no length yet
}

/** The last night that has ended. */
export function lastNight(now: number, timeZone: string, { start, end }: NightTimes): TimeSpan {
  const clock = timeZoneClock(timeZone);
  const today = Math.floor(clock.shows(now) / DAY);
  const at = (date: number, minute: number) => clock.firstAt(date * DAY + minute * MINUTE);
  const endingOn = (date: number) => ({
    from: at(end > start ? date : date - 1, start),
    to: at(date, end),
  });
  const latest = endingOn(today);
  return latest.to <= now ? latest : endingOn(today - 1);
}

/** An interval of the same length that begins at the same time of day some days earlier, or later if `days` is negative. */
export function daysBefore({ from, to }: TimeSpan, days: number, timeZone: string): TimeSpan {
  const clock = timeZoneClock(timeZone);
  const start = clock.firstAt(clock.shows(from) - days * DAY);
  return { from: start, to: start + (to - from) };
}

/** Half open, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}
