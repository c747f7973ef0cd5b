// Remembers how many events start in past stretches. A key has all that a count depends on, so no count becomes stale.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ceilTo, floorTo, type Range } from '../../contract/instant.ts';
import { earlier, later } from '../../contract/ranges.ts';
import { stampsOf } from '../../rollups/stamps.ts';
import type { Rollups, Store } from '../../rollups/store.ts';
import { DAY_MICROS, HALF_HOUR } from '../stats/backgrounds.ts';
import { type Criteria, holdsOf, microsIn } from './event-criteria.ts';
import type { EventRun } from './search-runs-back.ts';

/** The most counts to remember for a station: ten years of days. */
const MOST_COUNTS = 4000;
const HOUR = 3_600_000_000n;

const memories = new WeakMap<Rollups, LRUCache<string, number>>();

/** @param stretches within the interval, in order, in microseconds since 1970 */
export async function openCountMemory(
  store: Store,
  criteria: Criteria,
  interval: Range,
  stretches: readonly Range[],
) {
  const { rollups } = store;
  const counts = memories.get(rollups) ?? new LRUCache({ maxSize: MOST_COUNTS, sizeCalculation: () => 1 });
  memories.set(rollups, counts);
  const keys = await keysOf(store, criteria, interval, stretches);
  return {
    /** @returns the count of a stretch by its index; undefined if it is unknown */
    recall: (index: number) => counts.get(keys[index] ?? ''),
    /** @param long the long runs of events. If one began far before the stretch, the key does not cover its start */
    remember(index: number, count: number, long: readonly EventRun[]): void {
      const [key, { from } = interval] = [keys[index], stretches[index]];
      const isFar = ({ first, last }: EventRun) => first < from - HOUR && last >= from;
      if (key !== undefined && !long.some(isFar)) counts.set(key, count);
    },
  };
}

/** Undefined for a stretch with points that no stored bucket counts, such as new ones. */
async function keysOf(store: Store, criteria: Criteria, interval: Range, stretches: readonly Range[]) {
  // a run may begin an hour before its stretch, and the hold of another may last until then
  const back = criteria.above_background === null ? 2n * HOUR : 2n * HOUR + 8n * DAY_MICROS;
  const after = reachOf(criteria);
  const sources = stretches.map(({ from, to }) => ({
    from: floorTo(from - back, DAY_MICROS),
    to: ceilTo(earlier(to + after, interval.to), HALF_HOUR),
  }));
  const stamps = await stampsOf(store, sources);
  return stretches.map(({ from, to }, index) => {
    const stamp = stamps[index];
    if (stamp === undefined) return undefined;
    const ends = [later(interval.from, from - 2n * HOUR), from, to, earlier(to + after, interval.to)];
    const all = JSON.stringify([criteria, ends.map(String), stamp]);
    return createHash('md5').update(all).digest('base64url');
  });
}

/** Whether a run may reach into a stretch from more than an hour before it. */
export const isLong = ({ first, last }: EventRun) => last - first > HOUR;

/** How far after a stretch points can matter: an event that goes on until then is long enough. */
export const reachOf = (criteria: Criteria) =>
  microsIn(criteria.min_duration_seconds) + holdsOf(criteria).longest;
