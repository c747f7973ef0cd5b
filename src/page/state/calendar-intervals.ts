// Intervals that follow the calendar of a time zone: today, last night, this week.
import { wallClock } from '../../contract/time-zone-clock.ts';
import type { Interval } from './interval.ts';

export const PRESETS = ['today', 'last-night', 'this-week'] as const;
export type Preset = (typeof PRESETS)[number];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The night of Directive 2002/49/EC, which stats.days has by default. */
export const [NIGHT_START, NIGHT_END] = [23, 7];

/**
 * @param now in ms since 1970
 * @returns today and this week (from Monday) up to now; of last night, which began yesterday, what has been
 */
export function calendarInterval(preset: Preset, now: number, timeZone: string): Interval {
  const clock = wallClock(timeZone, now - 8 * DAY, now);
  const today = Math.floor(clock.shows(now) / DAY);
  const at = (date: number, hour: number) => clock.firstAt(date * DAY + hour * HOUR);
  const weekday = (today + 3) % 7; // 1970 began on a Thursday
  const intervals: Record<Preset, Interval> = {
    today: { from: at(today, 0), to: now },
    'last-night': { from: at(today - 1, NIGHT_START), to: Math.min(at(today, NIGHT_END), now) },
    'this-week': { from: at(today - weekday, 0), to: now },
  };
  const { from, to } = intervals[preset];
  return from < to ? { from, to } : { from: to - HOUR, to }; // the first moment of a day has no length
}

/** The same interval some days before, by the calendar: it begins and ends at the same times of day. */
export function daysBefore({ from, to }: Interval, days: number, timeZone: string): Interval {
  const clock = wallClock(timeZone, from - (days + 1) * DAY, to);
  const start = clock.firstAt(clock.shows(from) - days * DAY);
  return { from: start, to: start + (to - from) };
}
