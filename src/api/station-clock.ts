// What the clocks of a station's zone say now: the hours of its last day, its limit, and its last whole night.
import { instantOf } from '../contract/instant.ts';
import { minuteOfDay } from '../contract/minute-of-day.ts';
import type { Site } from '../stations/station.ts';
import { limitParts } from './limit-parts.ts';
import { DAY, localHours } from './local-days.ts';

const MINUTE = 60_000;

/** What stations of one zone and the same limits share, for as long as the minute lasts: limits begin at whole ones. */
const known = new Map<string, StationClock>();
let minute = 0;

export interface StationClock {
  /** Where the last 24 hours begin, the one that runs last. */
  readonly hours: readonly string[];
  readonly limit_db: number | null;
  readonly night: { readonly from: string; readonly to: string; readonly limit_db: number } | null;
}

export function clockOf({ timeZone, limits }: Site, now: string): StationClock {
  const at = Math.floor(Date.parse(now) / MINUTE) * MINUTE;
  if (at !== minute) known.clear();
  minute = at;
  const key = JSON.stringify([timeZone, limits]);
  const clock = known.get(key) ?? read(timeZone, limits, at);
  known.set(key, clock);
  return clock;
}

function read(timeZone: string, limits: Site['limits'], at: number): StationClock {
  const [now, end] = [instantOf(at), instantOf(at + MINUTE)];
  const starts = localHours({ from: instantOf(at - DAY), to: end }, timeZone);
  const [running] = limitParts({ from: now, to: end }, timeZone, limits, 3);
  const isOfMidnight = ({ start, end }: Site['limits'][number]) =>
    minuteOfDay(start) === 0 || minuteOfDay(end) <= minuteOfDay(start);
  const nightly = limits.find(isOfMidnight) ?? limits.at(-1);
  const parts = limitParts({ from: instantOf(at - 3 * DAY), to: end }, timeZone, nightly ? [nightly] : [], 6);
  const night = parts.findLast(({ to }) => to <= now);
  return {
    hours: starts.slice(-25, -1),
    limit_db: (running && limits[running.limit]?.limit_db) ?? null,
    night: night && nightly ? { from: night.from, to: night.to, limit_db: nightly.limit_db } : null,
  };
}
