// The algebra of statistics: what adds up over any pieces of time, from the points or from rollups.
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { instantOfMicros } from '../contract/instant.ts';
import { audioData } from '../db/schema.ts';
import type { Range } from '../timescale/internal-catalog.ts';
import { BLOCK, RESOLUTIONS, type Resolution, type RollupKey, rollupName } from '../timescale/rollups.ts';
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

/** ` union all select ... from <rollup> where ...` for each scan of each rollup that is a source. */
export function unionOfRollups(
  { rollups }: Pick<Sources, 'rollups'>,
  key: RollupKey,
  select: (bucket: SQL) => SQL,
  rest: SQL = sql``,
): SQL {
  return sql.join(
    rollups.flatMap(({ resolution, scans }) => {
      const name = sql.identifier(rollupName(key, resolution));
      return scans.map(
        (scan) => sql` union all select ${select(sql`bucket`)} from ${name} where ${scan}${rest}`,
      );
    }),
  );
}

const places = Array.from({ length: BLOCK }, (_, place) => `n${place}`);

/** The counts of a block of frequencies, added up. */
export const BLOCK_SUMS = sql.raw(places.map((place) => `sum(${place}) as ${place}`).join(', '));

/** The sums of such sums. As float8, which adds up whole numbers exactly, and faster than numeric. */
export const BLOCK_TOTALS = sql.raw(places.map((place) => `sum(${place}::float8) as ${place}`).join(', '));

/** Sums of no block, for a union that may have no rollup. */
export const NO_COUNTS = sql.raw(places.map((place) => `0::bigint as ${place}`).join(', '));

/** The highest count of a block. */
export const BLOCK_MOST = sql.raw(`greatest(${places.join(', ')})`);

/** ` cross join ...`: a row for each frequency of a block, with its `place` in it and its `point_count`. */
export const BLOCK_COUNTS = sql.raw(
  ` cross join unnest(array[${places.join(', ')}]) with ordinality as counted (point_count, place)`,
);

/** The frequency of a place, counted from 1. */
export const BLOCK_FREQUENCY = sql.raw(`(block * ${BLOCK} + place - 1)::int`);

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

/** The columns of totals. */
export const TOTALS = sql.raw(
  'point_count, level_count, level_sum, min_db, max_db, power_sum, silence_count',
);

/** The totals of some totals. */
export const TOTALS_OF_TOTALS = sql.raw(`
      sum(point_count) as point_count,
      sum(level_count) as level_count,
      sum(level_sum) as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      sum(silence_count) as silence_count`);

/**
 * A mean that lies within the levels as they are written. A `real` that reads -10.2 is -10.19999981 to float8:
 * where all levels are that, their mean would lie above the maximum.
 */
const mean = (figure: string) => `greatest(least(${figure}, max_db::text::float8), min_db::text::float8)`;

/** The figures that follow from totals. */
export const FIGURES = sql.raw(`
    coalesce(point_count, 0)::float8 as point_count,
    ${mean('level_sum::float8 / 4294967296 / nullif(level_count, 0)')} as avg_db,
    max_db,
    min_db,
    ${mean('10 * log(power_sum / nullif(level_count, 0))')} as leq_db,
    100 * silence_count::float8 / nullif(point_count, 0) as silence_percent`);
