// Keeps the buckets of the histograms (drizzle/0003) in memory once they were read.
//
// A bucket that is counted again gets another `counted_at`. So a statement asks for that alone, and only the buckets
// that are not here yet are read.
import { LRUCache } from 'lru-cache';
import { compile, parameter } from '../db/compile.ts';
import type { Database, Statement } from '../db/database.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { ROLLUP_TABLES, resolutionsOf } from '../db/rollups.ts';
import { type Histogram, mergeHistograms } from '../statistics/histogram.ts';
import { epochOf } from './bucket-times.ts';
import { type HistogramRow, histogramOf, TOTALS } from './counted-points.ts';
import { type RollupSource, selectsOf, unionAll } from './source-scans.ts';

/** By the name of a length: of each bucket its start, in seconds since 1970, and its `counted_at`, oldest first. */
export type Versions = Readonly<Record<string, readonly (readonly [start: number, counted_at: number])[]>>;

/** The {@link Versions} of the buckets of histograms, as a json object. */
export function versionsOf(histograms: readonly RollupSource[]): SQL {
  const entries = histograms.map((histogram) => {
    const buckets = unionAll(selectsOf([histogram], sql`bucket, counted_at`));
    return sql`${sql.raw(`'${histogram.resolution}'`)}, (
      select coalesce(json_agg(json_build_array(${epochOf(sql`bucket`)}, counted_at) order by bucket), '[]')
      from (${buckets}) as buckets)`;
  });
  return sql`json_build_object(${sql.join(entries, sql`, `)})`;
}

/** The sum of the buckets of one group. */
export interface StoredSum extends Histogram {
  readonly group: number;
}

export type HistogramCache = ReturnType<typeof createHistogramCache>;

/** The most memory for buckets: enough for five hundred, such as a year of days and more. */
const MOST_BYTES = 2 ** 24;

/** The most sums that are kept: a page that shows a few windows, or a month of days, asks for the same ones again and again. */
const MOST_SUMS = 64;

/** The most buckets that are read at once: reading the text of one takes a tenth of a millisecond. */
const AT_ONCE = 100;

interface StoredRow extends HistogramRow {
  readonly start: number;
  readonly counted_at: number;
}

const statements = new Map<string, Statement>(
  resolutionsOf('histogram').map(({ name, seconds }) => [
    name,
    compile(
      sql`select ${epochOf(sql`bucket`)} as start, counted_at, ${TOTALS}, levels::text, frequencies::text
        from ${sql.identifier(ROLLUP_TABLES.histogram)}
        where seconds = ${sql.raw(String(seconds))} and bucket = any(${parameter('starts')}::timestamptz[])`,
      `histogram_${name}`,
    ),
  ]),
);

export function createHistogramCache(db: Database) {
  const kept = new LRUCache<string, Histogram>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ levels, frequencies }) => levels.byteLength + frequencies.byteLength + 1,
  });
  const sums = new LRUCache<string, Histogram>({ max: MOST_SUMS });

  /** @returns the buckets in the order of their versions */
  async function bucketsOf(resolution: string, versions: Versions[string]): Promise<Histogram[] | undefined> {
    const keyOf = (start: number, countedAt: number) => `${resolution} ${start} ${countedAt}`;
    const found = versions.map(([start, countedAt]) => kept.get(keyOf(start, countedAt)));
    const missing = versions.filter((_, place) => !found[place]);
    const statement = statements.get(resolution);
    if (missing.length > 0 && statement) {
      const starts = missing.map(([start]) => new Date(start * 1000).toISOString());
      const rows = await db.query<StoredRow>(statement, { starts: `{${starts.join()}}` });
      const read = new Map(rows.map((row) => [keyOf(row.start, row.counted_at), histogramOf(row)]));
      for (const [place, version] of versions.entries()) found[place] ??= read.get(keyOf(...version));
      for (const [key, bucket] of read) kept.set(key, bucket);
    }
    const buckets = found.filter((bucket) => bucket !== undefined);
    return buckets.length === versions.length ? buckets : undefined;
  }

  async function sumOf(resolution: string, versions: Versions[string]): Promise<Histogram | undefined> {
    const key = `${resolution} ${versions.join()}`;
    let sum = sums.get(key);
    if (sum) return sum;
    for (let from = 0; from < versions.length; from += AT_ONCE) {
      const buckets = await bucketsOf(resolution, versions.slice(from, from + AT_ONCE));
      if (!buckets) return undefined;
      sum = mergeHistograms(sum ? [sum, ...buckets] : buckets);
    }
    if (sum) sums.set(key, sum);
    return sum;
  }

  return {
    /**
     * Adds up buckets, one sum for each length and group. Adds in the order of time: sums of floats depend on it.
     *
     * @param groupOf the group of the bucket that starts at a time
     * @returns undefined if a bucket was counted again or dropped meanwhile
     */
    async read(versions: Versions, groupOf: (start: number) => number): Promise<StoredSum[] | undefined> {
      const all: StoredSum[] = [];
      for (const [resolution, ofLength] of Object.entries(versions)) {
        for (const [group, some] of Map.groupBy(ofLength, ([start]) => groupOf(start))) {
          const sum = await sumOf(resolution, some);
          if (!sum) return undefined;
          all.push({ ...sum, group });
        }
      }
      return all;
    },
  };
}
