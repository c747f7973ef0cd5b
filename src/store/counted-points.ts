// The SQL that statistics share: buckets of time, totals and histograms, which add up over any pieces of time.
import { type SQL, sql } from 'drizzle-orm';
import { floorTo, type Interval, microsOf } from '../contract/instant.ts';
import type { Counted } from '../statistics/figures.ts';
import { type HistogramTotalsRow, TOTALS as TOTAL_COLUMNS, type Totals } from '../statistics/histogram.ts';
import type { Range } from '../timescale/internal-catalog.ts';
import type { Versions } from './histogram-cache.ts';
import { type RollupSource, scansOfRollup } from './source-scans.ts';

/** The start of the bucket that holds a time: a multiple of its length since 1970. */
export function binned(time: SQL, bucketSeconds: number): SQL {
  // in seconds: a day may have 23 hours in the time zone of the session
  return sql`date_bin(${sql.raw(`'${bucketSeconds} s'`)}::interval, ${time}, '1970-01-01T00:00:00Z'::timestamptz)`;
}

/** A time in seconds since 1970. */
export const epochOf = (start: SQL) => sql`extract(epoch from ${start})::bigint`;

/** The starts of the buckets that an interval touches, in seconds since 1970. */
export function startsOf(interval: Interval, bucketSeconds: number): number[] {
  return startsIn([{ from: microsOf(interval.from), to: microsOf(interval.to) }], bucketSeconds);
}

/** The starts of the buckets that some ranges touch, in seconds since 1970. */
export function startsIn(ranges: readonly Range[], bucketSeconds: number): number[] {
  const width = BigInt(bucketSeconds) * 1_000_000n;
  const starts = new Set<number>();
  for (const { from, to } of ranges)
    for (let start = floorTo(from, width); start < to; start += width) starts.add(Number(start / 1_000_000n));
  return [...starts];
}

/** The {@link Versions} of the buckets of histograms to read, as a json object. */
export function versionsOf(rollups: readonly RollupSource[]): SQL {
  const entries = rollups.map((rollup) => {
    const buckets = sql.join(scansOfRollup(rollup, 'histogram', sql`bucket, counted_at`), sql` union all `);
    return sql`${sql.raw(`'${rollup.resolution}'`)}, (
      select coalesce(json_agg(json_build_array(${epochOf(sql`bucket`)}, counted_at) order by bucket), '[]')
      from (${buckets}) as buckets)`;
  });
  return sql`json_build_object(${sql.join(entries, sql`, `)})`;
}

export const NO_VERSIONS = versionsOf([]);

/** The one row that a statement of statistics gives. */
export interface StatisticsRow<Given = BucketPart> {
  /** From the points, and from the rollups whose buckets are those of the answer. */
  readonly parts: readonly Given[] | null;
  /** From the points that no histogram covers, in the same form. */
  readonly points?: readonly HistogramTotalsRow[];
  /** Of the buckets of histograms that add up to the rest. */
  readonly versions: Versions;
}

export interface BucketPart extends Totals {
  /** The bucket of the answer, in seconds since 1970. */
  readonly start?: number;
  readonly levels?: Counted;
  /** If the part is all of its bucket. */
  readonly dominant_frequency_hz: number | null;
  /** If it is not. */
  readonly frequencies?: Counted | null;
}

/**
 * The totals of some points, as audio_data_total_* (drizzle/0003) store them for a bucket.
 *
 * Sums of floats depend on their order. So levels add up as whole numbers of 2^-32 dB, which is exact for a real
 * below -0.002 dB: avg_db is the same in any order. The power stays a float: the last digits of leq_db may differ
 * with the pieces.
 */
export const TOTALS_OF_POINTS = sql.raw(`
      count(*) as point_count,
      count(rms_db) as level_count,
      sum((rms_db::float8 * 4294967296)::bigint) as level_sum,
      min(rms_db) as min_db,
      max(rms_db) as max_db,
      sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
      count(*) filter (where is_silence) as silence_count`);

/**
 * How many of some points have each level and each frequency, as audio_data_histogram_* (drizzle/0005) store it.
 *
 * @param schema the schema of TimescaleDB's functions
 */
export function histogramsOfPoints(schema: string): SQL {
  const histogram = sql`${sql.identifier(schema)}.histogram`;
  return sql`${histogram}((rms_db::float8 * 10)::int, -500.5, 0.5, 501) filter (where rms_db is not null) as levels,
      ${histogram}(frequency_hz, 99.5, 8000.5, 7901) filter (where frequency_hz is not null) as frequencies`;
}

/** The same of a relation `points`, in any database. */
export const HISTOGRAMS_OF_POINTS = sql.raw(`
      (select array_agg(coalesce(n, 0) order by value) from generate_series(-501, 1) as value
        left join (select (rms_db::float8 * 10)::int as value, count(*) as n from points group by 1) as counted
        using (value)) as levels,
      (select array_agg(coalesce(n, 0) order by value) from generate_series(99, 8001) as value
        left join (select frequency_hz as value, count(*) as n from points group by 1) as counted
        using (value)) as frequencies`);

export const TOTALS = sql.raw(TOTAL_COLUMNS);

export const TOTALS_OF_TOTALS = sql.raw(`
      coalesce(sum(point_count), 0) as point_count,
      coalesce(sum(level_count), 0) as level_count,
      sum(level_sum) as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      coalesce(sum(silence_count), 0) as silence_count`);
