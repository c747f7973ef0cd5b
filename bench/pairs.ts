// Each question twice: as the service answers it, and by hand.
import { addSeconds, instantOf } from '../src/contract/instant.ts';
import type { Database } from '../src/db/database.ts';
import { pointsJson } from '../src/points/points.ts';
import { AFTER_LAST_INSTANT, FIRST_INSTANT } from '../src/queries/instant-text.ts';
import { latestPoints } from '../src/queries/latest-points.ts';
import { loudPoints } from '../src/queries/loud-points.ts';
import { series } from '../src/queries/series.ts';
import { summary } from '../src/queries/summary.ts';
import type { Pair } from './compare.ts';
import { rawLatest, rawLoud, rawSeries, rawSummary } from './raw.ts';

export interface Window {
  readonly from: string;
  readonly to: string;
}

export function windowBefore(to: string, seconds: number): Window {
  return { from: addSeconds(to, -seconds) ?? to, to };
}

export function summaries(db: Database, window: Window): Pair {
  return {
    ours: () => summary(db, { ...window }),
    raw: async () => (await db.query(rawSummary, { ...window }))[0],
  };
}

export function seriesOf(db: Database, window: Window, seconds: number): Pair {
  return {
    ours: () => series(db, { ...window }, seconds),
    raw: () => db.query(rawSeries, { ...window, seconds }),
  };
}

/** The first page; a window of null is a question without an interval. */
export function louds(db: Database, threshold: number, window: Window | null): Pair {
  const limit = 1000;
  const none = { from: null, to: null };
  const all = { from: FIRST_INSTANT, to: AFTER_LAST_INSTANT };
  return {
    ours: async () => pointsOf(await loudPoints(db, window ?? none, threshold, limit, clock())),
    raw: () => db.query(rawLoud, { ...(window ?? all), threshold, limit }),
  };
}

/** @param daysAhead how many days before the clock the table seems to end */
export function latests(db: Database, daysAhead = 0): Pair {
  const limit = 100;
  return {
    ours: async () => pointsOf(await latestPoints(db, { limit }, clock(daysAhead))),
    raw: () => db.query(rawLatest, { limit }),
  };
}

function clock(daysAhead = 0): string {
  return instantOf(Date.now() + daysAhead * 86_400_000);
}

/** Parsed, to be compared. */
function pointsOf({ lines }: { lines: string }): unknown {
  return JSON.parse(`${pointsJson(lines)}`);
}
