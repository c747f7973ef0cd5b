// The algebra of statistics: what adds up over any pieces of time, from the points or from rollups.
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { floorTo, instantOfMicros, microsOf } from '../contract/instant.ts';
import { audioData } from '../db/schema.ts';
import { type BucketRow, TOTALS as TOTAL_COLUMNS, type Totals } from '../timescale/buckets.ts';
import type { Versions } from '../timescale/histograms.ts';
import type { Range } from '../timescale/internal-catalog.ts';
import { RESOLUTIONS, type Resolution, type RollupKey, rollupName } from '../timescale/rollups.ts';
import type { Counted } from './figures.ts';
import type { Piece } from './split-interval.ts';

/** What to read of the points and of each rollup: conditions on `time` and on `bucket`, one for each scan. */
export interface Sources {
  readonly raw: readonly SQL[];
  /** What the points are read from. */
  readonly points: SQLWrapper;
  /** Whether all is within one short range of points. */
  readonly isShort: boolean;
  readonly rollups: readonly RollupSource[];
  /** The schema of TimescaleDB's functions. */
  readonly schema: string;
}

interface RollupSource {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly pieces: readonly Range[];
  readonly scans: readonly SQL[];
}

/** Up to ten minutes the points answer as fast as rollups. */
export function isShort({ from, to }: Range): boolean {
  return to - from <= 600_000_000n;
}

/**
 * The points of all pieces, each from its source.
 *
 * @param schema that of TimescaleDB's functions, where a source is a rollup
 */
export function sourcesOf(pieces: readonly Piece[], schema = ''): Sources {
  const raw = scansOf(sql`${audioData.time}`, pieces, 'raw');
  return {
    schema,
    raw: raw.length > 0 ? raw : [sql`false`],
    points: audioData,
    isShort: pieces.length === 1 && pieces.every(isShort),
    rollups: RESOLUTIONS.map(({ name: resolution, seconds }) => ({
      resolution,
      seconds,
      pieces: pieces.filter(({ source }) => source === resolution),
      scans: scansOf(sql`bucket`, pieces, resolution),
    })).filter(({ scans }) => scans.length > 0),
  };
}

/** Ranges that are further apart have scans of their own: one of both would be planned for every chunk between. */
const APART = 86_400_000_000n;

/**
 * Writes constants: by them the planner leaves out chunks and adds up in vectors, also where they are parameters of
 * a plan that is made for their values. The ends of the whole come first: by them it leaves out most chunks without
 * a look at each.
 */
function scansOf(column: SQL, pieces: readonly Piece[], source: Piece['source']): SQL[] {
  const scans: Range[][] = [];
  for (const range of pieces) {
    if (range.source !== source) continue;
    const end = scans.at(-1)?.at(-1)?.to;
    if (end !== undefined && range.from - end < APART) scans.at(-1)?.push(range);
    else scans.push([range]);
  }
  const inside = ({ from, to }: Range) =>
    sql`${column} >= ${timestamp(from)} and ${column} < ${timestamp(to)}`;
  return scans.map((ranges) => {
    const [first, last] = [ranges[0], ranges.at(-1)];
    if (!first || !last) return sql`false`;
    const whole = inside({ from: first.from, to: last.to });
    return ranges.length > 1 ? sql`${whole} and (${sql.join(ranges.map(inside), sql` or `)})` : whole;
  });
}

/** A constant. A canonical instant holds nothing but digits and `T:.-Z`. */
export function timestamp(micros: bigint): SQL {
  return sql.raw(`'${instantOfMicros(micros)}'::timestamptz`);
}

/** `select ... from audio_data where ...` for each scan of the points, in one. There is one at least. */
export function unionOfPoints(
  { raw, points }: Pick<Sources, 'raw' | 'points'>,
  select: SQL,
  rest: SQL = sql``,
): SQL {
  const selects = raw.map((scan) => sql`select ${select} from ${points} where ${scan}${rest}`);
  return sql.join(selects, sql` union all `);
}

/** `select ... from <rollup> where ...` for each scan of a rollup. */
export function scansOfRollup(
  { resolution, scans }: RollupSource,
  key: RollupKey,
  select: SQL,
  rest: SQL = sql``,
): SQL[] {
  const name = sql.identifier(rollupName(key, resolution));
  return scans.map((scan) => sql`select ${select} from ${name} where ${scan}${rest}`);
}

/** The start of the bucket that holds a time: a multiple of its length since 1970. */
export function binned(time: SQL, bucketSeconds: number): SQL {
  // in seconds: a day may have 23 hours in the time zone of the session
  return sql`date_bin(${sql.raw(`'${bucketSeconds} s'`)}::interval, ${time}, '1970-01-01T00:00:00Z'::timestamptz)`;
}

/** A time in seconds since 1970. */
export const epochOf = (start: SQL) => sql`extract(epoch from ${start})::bigint`;

/** The buckets that an interval touches, in seconds since 1970. */
export function startsOf(interval: { from: string; to: string }, bucketSeconds: number): number[] {
  return startsIn([{ from: microsOf(interval.from), to: microsOf(interval.to) }], bucketSeconds);
}

/** The buckets that some ranges touch. */
export function startsIn(ranges: readonly Range[], bucketSeconds: number): number[] {
  const width = BigInt(bucketSeconds) * 1_000_000n;
  const starts = new Set<number>();
  for (const { from, to } of ranges)
    for (let start = floorTo(from, width); start < to; start += width) starts.add(Number(start / 1_000_000n));
  return [...starts];
}

/** The versions of the histograms that are sources, as a json object. */
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

/** What a statement of statistics gives: one row. */
export interface Answer<Given = Part> {
  /** Of the points, and of the rollups whose buckets are those of the answer. */
  readonly parts: readonly Given[] | null;
  /** Of the points beside the histograms, in the same form. */
  readonly points?: readonly BucketRow[];
  /** Of the histograms that add up to the rest. */
  readonly versions: Versions;
}

export interface Part extends Totals {
  /** The bucket of the answer, in seconds since 1970. */
  readonly start?: number;
  readonly levels?: Counted;
  /** Where the part is all of its bucket. */
  readonly dominant_frequency_hz: number | null;
  /** Where it is not. */
  readonly frequencies?: Counted | null;
}

/**
 * The totals of some points, as audio_data_total_* (drizzle/0003) store them for a bucket.
 *
 * Sums of floats depend on their order. So levels are summed as whole numbers of 2^-32 dB, which is exact for a
 * real below -0.002 dB: avg_db is the same in any order. The power stays a float: the last digits of leq_db may
 * differ with the pieces.
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
 * How many of some points lie at each level and at each frequency, as audio_data_histogram_* (drizzle/0005).
 *
 * @param schema that of TimescaleDB's functions
 */
export function histogramsOfPoints(schema: string): SQL {
  const histogram = sql`${sql.identifier(schema)}.histogram`;
  return sql`${histogram}((rms_db::float8 * 10)::int, -500.5, 0.5, 501) filter (where rms_db is not null) as levels,
      ${histogram}(frequency_hz, 99.5, 8000.5, 7901) filter (where frequency_hz is not null) as frequencies`;
}

export const TOTALS = sql.raw(TOTAL_COLUMNS);

/** The totals of some totals. */
export const TOTALS_OF_TOTALS = sql.raw(`
      coalesce(sum(point_count), 0) as point_count,
      coalesce(sum(level_count), 0) as level_count,
      sum(level_sum) as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      coalesce(sum(silence_count), 0) as silence_count`);
