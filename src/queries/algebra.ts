// The algebra of statistics: what adds up over any pieces of time, from the points or from rollups.
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { instantOfMicros } from '../contract/instant.ts';
import { audioData } from '../db/schema.ts';
import type { BucketRow, Totals, Versions } from '../timescale/histograms.ts';
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

/** The points of all pieces, each from its source. */
export function sourcesOf(pieces: readonly Piece[]): Sources {
  const raw = scansOf(sql`${audioData.time}`, pieces, 'raw');
  return {
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
export function scansOfRollup({ resolution, scans }: RollupSource, key: RollupKey, select: SQL): SQL[] {
  const name = sql.identifier(rollupName(key, resolution));
  return scans.map((scan) => sql`select ${select} from ${name} where ${scan}`);
}

/** The versions of the histograms that are sources, as a json object. */
export function versionsOf(rollups: readonly RollupSource[]): SQL {
  const entries = rollups.map((rollup) => {
    const buckets = sql.join(scansOfRollup(rollup, 'histogram', sql`bucket, counted_at`), sql` union all `);
    return sql`${sql.raw(`'${rollup.resolution}'`)}, (
      select json_build_array(array_agg(extract(epoch from bucket)::bigint), array_agg(counted_at))
      from (${buckets}) as buckets)`;
  });
  return sql`json_build_object(${sql.join(entries, sql`, `)})`;
}

/** What a statement of statistics gives: one row. */
export interface Answer {
  /** Of the points, and of the rollups whose buckets are those of the answer. */
  readonly parts: readonly Part[] | null;
  /** Of the points beside the histograms, in the same form. */
  readonly points?: readonly BucketRow[];
  /** Of the histograms that add up to the rest. */
  readonly versions: Versions;
}

export interface Part extends Totals {
  /** In seconds since 1970: the bucket of the answer; null where that has one alone. */
  readonly start: number | null;
  readonly levels?: Counted;
  /** Where the part is all of its bucket. */
  readonly dominant_frequency_hz: number | null;
  /** Where it is not. */
  readonly frequencies: Counted | null;
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

/** How many of some points lie at each level and at each frequency, as audio_data_histogram_* (drizzle/0005). */
export const HISTOGRAMS_OF_POINTS = sql.raw(`
      histogram((rms_db::float8 * 10)::int, -500.5, 0.5, 501) filter (where rms_db is not null) as levels,
      histogram(frequency_hz, 99.5, 8000.5, 7901) filter (where frequency_hz is not null) as frequencies`);

/** The columns of histograms, as {@link BucketRow} has them. */
export const HISTOGRAMS = sql.raw('levels::text, frequencies::text');

/** The columns of totals, as {@link Totals} has them. */
export const TOTALS = sql.raw(
  'point_count, level_count, level_sum::text, min_db, max_db, power_sum, silence_count',
);

/** The totals of some totals. */
export const TOTALS_OF_TOTALS = sql.raw(`
      coalesce(sum(point_count), 0) as point_count,
      coalesce(sum(level_count), 0) as level_count,
      sum(level_sum)::text as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      coalesce(sum(silence_count), 0) as silence_count`);
