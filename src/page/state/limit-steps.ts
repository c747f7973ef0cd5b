// Determines when each limit by time of day applies in an interval.
import type { Limit } from '../../contract/limits.ts';
import { minuteOfDay } from '../../contract/minute-of-day.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import type { TimeSpan } from './calendar-intervals.ts';

/** A limit from one time to another, in milliseconds since 1970. */
export interface LimitStep extends TimeSpan {
  readonly db: number;
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** In longer intervals the steps would look like a comb, so each limit is one line from end to end. */
const MOST_STEPPED_MS = 15 * DAY;

/** @returns the limit at a time, in dB on its scale; undefined if none applies */
export function limitAt(limits: readonly Limit[], timeZone: string): (time: number) => number | undefined {
  const clock = timeZoneClock(timeZone);
  const parts = limits.map(({ start, end, limit_db }) => {
    const [starts, ends] = [minuteOfDay(start), minuteOfDay(end)];
    return { starts, length: ((ends - starts + 1439) % 1440) + 1, limit_db };
  });
  return (time) => {
    const minute = Math.floor(clock.shows(time) / MINUTE) % 1440;
    return parts.find(({ starts, length }) => (minute - starts + 1440) % 1440 < length)?.limit_db;
  };
}

export function limitSteps(limits: readonly Limit[], { from, to }: TimeSpan, timeZone: string): LimitStep[] {
  if (to - from > MOST_STEPPED_MS) return limits.map(({ limit_db }) => ({ from, to, db: limit_db }));
  const clock = timeZoneClock(timeZone);
  const first = Math.floor(clock.shows(from) / DAY) - 1;
  const last = Math.floor(clock.shows(to) / DAY);
  const dates = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * DAY);
  return dates.flatMap((date) =>
    limits.flatMap(({ start, end, limit_db }) => {
      const [starts, ends] = [minuteOfDay(start), minuteOfDay(end)];
      const next = ends > starts ? 0 : DAY;
      const step = {
        from: Math.max(clock.firstAt(date + starts * MINUTE), from),
        to: Math.min(clock.firstAt(date + next + ends * MINUTE), to),
        db: limit_db,
      };
      return step.from < step.to ? [step] : [];
    }),
  );
}
