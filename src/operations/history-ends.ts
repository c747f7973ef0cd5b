// Ends of intervals within minutes of history, and the fields of answers that touch history.
import {
  floorTo,
  instantOfMicros,
  isRelative,
  microsOf,
  type OpenInterval,
  parseInstant,
  type Range,
} from '../contract/instant.ts';
import { boundOf } from '../contract/ranges.ts';
import { compile, parameter, sql } from '../database/drizzle.ts';
import { tables } from '../database/schema.ts';
import { badParameter } from '../errors.ts';
import { historyEnd, wholeOf } from '../points/points.ts';
import type { Store } from '../rollups/store.ts';
import { BUCKET_SECONDS, type Bucket } from './stats/series/contract.ts';

const MINUTE_MICROS = 60_000_000n;

/**
 * @param input with the end `time`, which lies within a minute of history
 * @returns the input with the start of that minute, if the end is relative
 * @throws BAD_REQUEST with the parameter, if it is absolute
 */
export function withWholeMinute(input: object, time: bigint, now: string): object {
  const given = new Map<string, unknown>(Object.entries(input));
  const textOf = (name: string) => String(given.get(name) ?? 'now');
  const instantIn = (name: string) => parseInstant(textOf(name), now);
  const name = ['from', 'to'].find((each) => instantIn(each) === instantOfMicros(time)) ?? 'to'; // or `to` less a period
  const instant = instantIn(name);
  if (instant === undefined || !isRelative(textOf(name)))
    throw badParameter(
      name,
      'must be a whole minute, because its points were removed and only their sums by minute are left',
    );
  return { ...input, [name]: instantOfMicros(floorTo(microsOf(instant), MINUTE_MICROS)) };
}

const newestMinute = compile(historyEnd, 'newest_of_history');

const touched = compile(
  sql<{ index: number }>`
  select index - 1 as index
  from unnest(${parameter('starts')}::timestamptz[], ${parameter('ends')}::timestamptz[]) with ordinality as stretch (start, until, index)
  where exists (select from ${tables.history} where minutes = 1 and bucket >= start and bucket < until)`,
  'stretches_of_history',
);

/** The indexes of the ranges that touch history, if the answer does. */
export async function touchingHistory(
  { db, assumed }: Store,
  ranges: readonly Range[],
): Promise<Set<number>> {
  if (!assumed?.history.isRead) return new Set();
  const [starts, ends] = [ranges.map(({ from }) => from), ranges.map(({ to }) => to)].map(
    (times) => `{${times.map(boundOf).join()}}`,
  );
  const rows = await db.query(touched, { starts: starts ?? '', ends: ends ?? '' });
  return new Set(rows.map(({ index }) => index));
}

/** @returns the length of buckets: history has none shorter than a minute. @throws BAD_REQUEST if one was requested */
export async function bucketOfHistory(
  store: Store,
  interval: OpenInterval,
  bucket: Bucket,
  requested: Bucket | undefined,
) {
  if (BUCKET_SECONDS[bucket] >= 60 || !('history_until' in (await historyOf(store, interval)))) return bucket;
  if (requested === undefined) return '1m';
  throw badParameter(
    'bucket',
    'must be 1m or longer, because points were removed and only their sums by minute are left',
  );
}

/** The fields of statistics that touch history; none for other answers. */
export async function historyOf(store: Store, interval: OpenInterval) {
  return store.assumed?.history.isRead ? unavailableIn(store, interval) : {};
}

/** The fields of noise events. To be read after their points, which may become history meanwhile. */
export async function unavailableIn(store: Pick<Store, 'db'>, interval: OpenInterval) {
  const ends = await historyUntil(store, interval);
  return 'history_until' in ends ? { ...ends, levels_unavailable: true as const } : {};
}

/** The field of a file of points. */
export async function historyUntil({ db }: Pick<Store, 'db'>, interval: OpenInterval) {
  const [found] = await db.query(newestMinute, wholeOf(interval));
  return found ?? {};
}
