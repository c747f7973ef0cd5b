// Keeps the buckets of the histograms (drizzle/0003) in memory after the first read.
//
// A recount gives a bucket a new `counted_at`. So one statement reads just `counted_at`, and a second the buckets not
// yet in memory.
import { LRUCache } from 'lru-cache';
import type { Queries } from '../database/database.ts';
import { compile, epochOf, parameter, type SQL, sql } from '../database/drizzle.ts';
import { TOTALS } from '../database/rollups.ts';
import { tables } from '../database/schema.ts';
import { type Histogram, type HistogramRow, histogramOf, mergeHistograms } from './histogram.ts';
import { Outdated } from './rollup-state.ts';
import { type Scan, selectsOf, unionAll } from './source-scans.ts';

/** The length and the start of each bucket, in seconds, and its `counted_at`, oldest first. */
export type Versions = readonly (readonly [seconds: number, start: number, countedAt: number])[];

/** The {@link Versions} of the buckets of histograms, as json. */
export function versionsOf(histograms: readonly Scan[]): SQL {
  if (histograms.length === 0) return sql`'[]'::json`;
  return sql`(
    select coalesce(json_agg(json_build_array(seconds, ${epochOf(sql`bucket`)}, counted_at) order by bucket), '[]')
    from (${unionAll(selectsOf(histograms, sql`seconds, bucket, counted_at`))}) as buckets)`;
}

export interface StoredBucket extends Histogram {
  /** In seconds since 1970. */
  readonly start: number;
}

/** The stored buckets of a query. All methods throw {@link Outdated} if a bucket was recounted or dropped since. */
export interface Stored {
  readonly versions: Versions;
  /** In batches, in order of time, so that only one batch is held at a time. */
  buckets(): AsyncIterable<readonly StoredBucket[]>;
  /** The same buckets without their frequencies, which are most of a bucket. */
  levels(): AsyncIterable<readonly StoredBucket[]>;
  /** The sum of all buckets, added in order of time: sums of floats depend on it. */
  sum(): Promise<Histogram>;
}

/** The memory limit for buckets: enough for five hundred, more than a year of days. */
const MOST_BYTES = 2 ** 24;

/** The most buckets to read at once: parsing one takes a tenth of a millisecond. */
const AT_ONCE = 200;

type StoredRow = HistogramRow & Readonly<Record<'seconds' | 'start' | 'counted_at', number>>;

const bucketsWith = (frequencies: SQL, name: string) =>
  compile(
    sql<StoredRow>`select seconds, ${epochOf(sql`bucket`)} as start, counted_at, ${TOTALS}, levels::text, ${frequencies} as frequencies
    from ${tables.histograms} join unnest(${parameter('lengths')}::int[], ${parameter('starts')}::float8[]) as wanted (length, start)
      on seconds = length and bucket = to_timestamp(start)`,
    name,
  );
const WHOLE = bucketsWith(sql`frequencies::text`, 'histograms');
const LEVELS = bucketsWith(sql`null::text`, 'histograms_levels');

type Kept = LRUCache<string, StoredBucket>;

const empty = (): Kept =>
  new LRUCache({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ levels, frequencies }) => levels.byteLength + frequencies.byteLength + 1,
  });

/** @param kept the cache, which stations may share. @param owner the station of the buckets, as a key in the cache */
export function createHistogramCache(kept = empty(), owner = '') {
  async function* read({ query }: Queries, versions: Versions, buckets = WHOLE) {
    const keyOf = (version: readonly number[]) => `${owner} ${version}${buckets === LEVELS ? ' levels' : ''}`;
    for (let at = 0; at < versions.length; at += AT_ONCE) {
      const some = versions.slice(at, at + AT_ONCE);
      const found = new Map(some.map((version) => [version.join(), kept.get(keyOf(version))]));
      const missing = some.filter((version) => !found.get(version.join()));
      const list = (part: 0 | 1) => `{${missing.map((version) => version[part]).join()}}`;
      const rows = missing.length > 0 ? await query(buckets, { lengths: list(0), starts: list(1) }) : [];
      for (const { seconds, start, counted_at, ...row } of rows) {
        const version = [seconds, start, counted_at];
        const bucket = { start, ...histogramOf(row) };
        kept.set(keyOf(version), bucket);
        found.set(version.join(), bucket);
      }
      yield some.map((version): StoredBucket => {
        const bucket = found.get(version.join());
        if (!bucket) throw new Outdated('A bucket was recounted');
        return bucket;
      });
    }
  }

  /** @param db the connection that runs the query */
  const stored = (db: Queries, versions: Versions): Stored => ({
    versions,
    buckets: () => read(db, versions),
    levels: () => read(db, versions, LEVELS),
    async sum() {
      let sum = mergeHistograms([]);
      for await (const some of read(db, versions)) sum = mergeHistograms([sum, ...some]);
      return sum;
    },
  });
  return Object.assign(stored, { kept });
}
