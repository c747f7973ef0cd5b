// Pairs each query of the service with its hand-written equivalent.
import { AFTER_LAST_INSTANT, addSeconds, FIRST_INSTANT, instantOf } from '../src/contract/instant.ts';
import { latestPoints } from '../src/operations/audio/latest/query.ts';
import { loudPoints } from '../src/operations/events/loud/query.ts';
import { series } from '../src/operations/stats/series/query.ts';
import { summary } from '../src/operations/stats/summary/query.ts';
import type { Store } from '../src/rollups/store.ts';
import type { Pair } from './compare.ts';
import type { Interval } from './points-table.ts';
import { rawLatest, rawLoud, rawSeries, rawSummary } from './sql-by-hand.ts';

export function windowBefore(to: string, seconds: number): Interval {
  return { from: addSeconds(to, -seconds) ?? to, to };
}

export function summaries(store: Store, interval: Interval): Pair {
  return {
    ours: () => summary(store, { ...interval }),
    raw: async () => (await store.db.query(rawSummary, { ...interval }))[0],
  };
}

export function seriesOf(store: Store, interval: Interval, seconds: number): Pair {
  return {
    ours: () => series(store, { ...interval }, seconds),
    raw: () => store.db.query(rawSeries, { ...interval, seconds }),
  };
}

/** The first page of loud points, from any time if `interval` is null. */
export function louds(store: Store, threshold: number, interval: Interval | null): Pair {
  const limit = 1000;
  const none = { from: null, to: null };
  const all = { from: FIRST_INSTANT, to: AFTER_LAST_INSTANT };
  return {
    ours: async () => (await loudPoints(store, interval ?? none, threshold, limit, clock())).points.toJSON(),
    raw: () => store.db.query(rawLoud, { ...(interval ?? all), threshold, limit }),
  };
}

/** @param daysAhead how many days the clock is ahead, and thus how old the newest point is */
export function latests(store: Store, daysAhead = 0): Pair {
  const limit = 100;
  return {
    ours: async () => (await latestPoints(store, { limit, ahead: 'omit' }, clock(daysAhead))).toJSON(),
    raw: () => store.db.query(rawLatest, { limit }),
  };
}

function clock(daysAhead = 0): string {
  return instantOf(Date.now() + daysAhead * 86_400_000);
}
