// Pairs each question as the service answers it with the same question by hand.
import { AFTER_LAST_INSTANT, addSeconds, FIRST_INSTANT, instantOf } from '../src/contract/instant.ts';
import { latestPoints } from '../src/queries/points/latest-points.ts';
import { loudPoints } from '../src/queries/points/loud-points.ts';
import { series } from '../src/queries/statistics/series.ts';
import { summary } from '../src/queries/statistics/summary.ts';
import type { Store } from '../src/timescale/rollups-in-use.ts';
import type { Pair } from './compare.ts';
import { rawLatest, rawLoud, rawSeries, rawSummary } from './raw.ts';

export interface Window {
  readonly from: string;
  readonly to: string;
}

export function windowBefore(to: string, seconds: number): Window {
  return { from: addSeconds(to, -seconds) ?? to, to };
}

export function summaries(store: Store, window: Window): Pair {
  return {
    ours: () => summary(store, { ...window }),
    raw: async () => (await store.db.query(rawSummary, { ...window }))[0],
  };
}

export function seriesOf(store: Store, window: Window, seconds: number): Pair {
  return {
    ours: () => series(store, { ...window }, seconds),
    raw: () => store.db.query(rawSeries, { ...window, seconds }),
  };
}

/** The first page; a null window asks without an interval. */
export function louds(store: Store, threshold: number, window: Window | null): Pair {
  const limit = 1000;
  const none = { from: null, to: null };
  const all = { from: FIRST_INSTANT, to: AFTER_LAST_INSTANT };
  return {
    ours: async () => (await loudPoints(store, window ?? none, threshold, limit, clock())).points.toJSON(),
    raw: () => store.db.query(rawLoud, { ...(window ?? all), threshold, limit }),
  };
}

/** @param daysAhead how many days the clock is ahead, so that the table seems to end that long ago */
export function latests(store: Store, daysAhead = 0): Pair {
  const limit = 100;
  return {
    ours: async () => (await latestPoints(store, { limit }, clock(daysAhead))).toJSON(),
    raw: () => store.db.query(rawLatest, { limit }),
  };
}

function clock(daysAhead = 0): string {
  return instantOf(Date.now() + daysAhead * 86_400_000);
}
