// The clock of a station: the hours of its last day, its current limit, and its last complete night.
import { LRUCache } from 'lru-cache';
import { instantOf } from '../../contract/instant.ts';
import { type Assess, isNightly, type Limit } from '../../contract/limits.ts';
import { DAY, localHours } from '../local-days.ts';
import { limitParts } from '../stats/limits/limit-parts.ts';
import type { Site } from './station.ts';

const MINUTE = 60_000;

/** Reading a clock takes milliseconds. A clock is valid for a minute, and stations with equal settings share it. */
const clocks = new LRUCache<string, ReturnType<typeof read>>({ max: 500 });

export function clockOf({ timeZone, limits, assess }: Site, now: string) {
  const at = Math.floor(Date.parse(now) / MINUTE) * MINUTE;
  const key = JSON.stringify([timeZone, limits, assess, at]);
  const clock = clocks.get(key) ?? read(timeZone, limits, assess, at);
  clocks.set(key, clock);
  return clock;
}

/** `hours` are the starts of the last 24 hours. The last hour is incomplete. */
function read(timeZone: string, limits: readonly Limit[], assess: Assess, at: number) {
  const [now, to] = [instantOf(at), instantOf(at + MINUTE)];
  const hours = localHours({ from: instantOf(at - DAY), to }, timeZone).slice(-25, -1);
  const parts = limitParts({ from: instantOf(at - 3 * DAY), to }, timeZone, limits, assess, 6);
  const running = parts.find((part) => part.to > now);
  const nightly = limits.find(isNightly) ?? limits.at(-1);
  const night = parts.findLast((part) => limits[part.limit] === nightly && part.to <= now);
  return {
    hours,
    limit_db: (running && limits[running.limit]?.limit_db) ?? null,
    night: night && nightly ? { part: night, limit: nightly } : null,
  };
}
