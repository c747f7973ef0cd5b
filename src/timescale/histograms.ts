// The buckets of the histograms (drizzle/0005), kept in memory once they were read.
//
// A bucket that is counted again gets another `counted_at`. So a statement asks for that alone, and what it stands for
// is read only where it is not here yet.
import { LRUCache } from 'lru-cache';
import type { Database, Statement } from '../db/database.ts';
import { RESOLUTIONS, rollupName } from './rollups.ts';

/** The sums of some points, as drizzle/0003 and 0005 store them for a bucket. */
export interface Totals {
  readonly point_count: number;
  readonly level_count: number;
  /** A whole number of 2^-32 dB, which a number may not hold. */
  readonly level_sum: string | bigint | null;
  readonly min_db: number | null;
  readonly max_db: number | null;
  readonly power_sum: number | null;
  readonly silence_count: number;
}

export type Counts = Uint32Array | Float64Array;

/** What is known of the points of a bucket, or of another range. */
export interface Bucket extends Totals {
  /** How many points lie at each level, by the tenth of a dB from {@link FIRST_LEVEL} on; empty where none has one. */
  readonly levels: Counts;
  /** By the hertz, from {@link FIRST_FREQUENCY} on. */
  readonly frequencies: Counts;
}

export interface StoredBucket extends Bucket {
  /** In seconds since 1970. */
  readonly start: number;
}

/** By the name of a length: the starts of buckets, in seconds since 1970, and `counted_at` of each. */
export type Versions = Readonly<
  Record<string, readonly [starts: readonly number[] | null, counted_at: readonly number[] | null]>
>;

export interface Histograms {
  /** @returns these buckets, undefined where one was counted again or dropped meanwhile */
  read(versions: Versions): Promise<StoredBucket[] | undefined>;
  /** The same, and what `merge` makes of all of one length: that is kept too. */
  readMerged(
    versions: Versions,
    merge: (buckets: readonly Bucket[]) => Bucket,
  ): Promise<Bucket[] | undefined>;
}

/** What `histogram` counts in its first element, which holds what lies below the others: nothing, for these. */
export const FIRST_LEVEL = -501;
export const FIRST_FREQUENCY = 99;

/** How much memory the buckets may take: that of five hundred, a year of days among them. */
const MOST_BYTES = 2 ** 24;

/** How many sums of buckets are kept: a page that shows a few windows asks for the same ones again and again. */
const MOST_SUMS = 32;

/** As a statement gives it: `levels` and `frequencies` as PostgreSQL writes arrays. */
export interface BucketRow extends Totals {
  readonly levels: string | null;
  readonly frequencies: string | null;
}

export function bucketOf<Row extends BucketRow>({ levels, frequencies, ...others }: Row) {
  return {
    ...others,
    levels: countsOf(levels),
    frequencies: countsOf(frequencies),
  };
}

interface Row extends BucketRow {
  readonly start: number;
  readonly counted_at: number;
}

const statements = new Map<string, Statement>(
  RESOLUTIONS.filter(({ isCounted }) => isCounted).map(({ name }) => [
    name,
    {
      name: `histogram_${name}`,
      text: `
        select extract(epoch from bucket)::float8 as start, counted_at::float8, point_count::float8, level_count::float8,
          level_sum::text, min_db, max_db, power_sum, silence_count::float8, levels::text, frequencies::text
        from ${rollupName('histogram', name)} where bucket = any($1::timestamptz[])`,
      parameters: ['starts'],
    },
  ]),
);

export function createHistograms(db: Database): Histograms {
  const kept = new LRUCache<string, Bucket>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ levels, frequencies }) => levels.byteLength + frequencies.byteLength + 1,
  });

  const sums = new LRUCache<string, Bucket>({ max: MOST_SUMS });

  async function readOf(
    resolution: string,
    versions: ReadonlyMap<number, number>,
  ): Promise<StoredBucket[] | undefined> {
    const keyOf = (start: number, countedAt: number) => `${resolution} ${start} ${countedAt}`;
    const found: StoredBucket[] = [];
    const missing: number[] = [];
    for (const [start, countedAt] of versions) {
      const bucket = kept.get(keyOf(start, countedAt));
      if (bucket) found.push({ ...bucket, start });
      else missing.push(start);
    }
    const statement = statements.get(resolution);
    if (missing.length > 0 && statement) {
      const starts = missing.map((start) => new Date(start * 1000).toISOString());
      for (const row of await db.query<Row>(statement, { starts: `{${starts.join(',')}}` })) {
        if (versions.get(row.start) !== row.counted_at) continue;
        const bucket = { ...bucketOf(row), start: row.start };
        kept.set(keyOf(row.start, row.counted_at), bucket);
        found.push(bucket);
      }
    }
    return found.length === versions.size ? found : undefined;
  }

  async function readEach<Given>(
    versions: Versions,
    give: (resolution: string, versions: ReadonlyMap<number, number>) => Promise<Given[] | undefined>,
  ): Promise<Given[] | undefined> {
    const all: Given[] = [];
    for (const [resolution, [starts, countedAt]] of Object.entries(versions)) {
      const pairs = (starts ?? []).map((start, place) => [start, countedAt?.[place] ?? 0] as const);
      const given = await give(resolution, new Map(pairs));
      if (!given) return undefined;
      all.push(...given);
    }
    return all;
  }

  return {
    read: (versions) => readEach(versions, readOf),
    readMerged: (versions, merge) =>
      readEach(versions, async (resolution, versions) => {
        const key = `${resolution} ${[...versions].join()}`;
        const known = sums.get(key);
        if (known) return [known];
        const buckets = await readOf(resolution, versions);
        if (!buckets) return undefined;
        const sum = merge(buckets);
        sums.set(key, sum);
        return [sum];
      }),
  };
}

const [COMMA, CLOSE, ZERO] = [44, 125, 48];

/** Reads an array as PostgreSQL writes it, `{0,12,3}`; null is empty. */
export function countsOf(text: string | null): Uint32Array {
  const counts: number[] = [];
  let count = 0;
  for (let at = 1; text !== null && at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE) {
      counts.push(count);
      count = 0;
    } else count = count * 10 + code - ZERO;
  }
  return Uint32Array.from(counts);
}
