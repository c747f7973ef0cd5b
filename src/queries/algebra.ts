// The algebra of statistics: what adds up over any pieces of time, from the points or from rollups.
import { type SQL, sql } from 'drizzle-orm';
import { instantOfMicros } from '../contract/instant.ts';
import { audioData } from '../db/schema.ts';
import type { Range } from '../timescale/internal-catalog.ts';
import { RESOLUTIONS, type Resolution, type RollupKey, rollupName } from '../timescale/rollups.ts';
import type { Piece } from './split-interval.ts';

/** What to read of the points and of each rollup: conditions on `time` and on `bucket`. */
export interface Sources {
  readonly raw: SQL;
  readonly rollups: readonly {
    readonly resolution: Resolution;
    readonly seconds: number;
    readonly where: SQL;
  }[];
}

/** The points of all pieces, each from its source. */
export function sourcesOf(pieces: readonly Piece[]): Sources {
  return {
    raw: liesIn(sql`${audioData.time}`, pieces, 'raw'),
    rollups: RESOLUTIONS.filter(({ name }) => pieces.some(({ source }) => source === name)).map(
      ({ name: resolution, seconds }) => ({
        resolution,
        seconds,
        where: liesIn(sql`bucket`, pieces, resolution),
      }),
    ),
  };
}

/**
 * Writes constants, not parameters: only with those does the planner leave out chunks and add up in vectors. The
 * ends of the whole come first: by them it leaves out most chunks without a look at each.
 */
function liesIn(column: SQL, pieces: readonly Piece[], source: Piece['source']): SQL {
  const ranges = pieces.filter((piece) => piece.source === source);
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (!first || !last) return sql`false`;
  const inside = ({ from, to }: Range) =>
    sql`${column} >= ${timestamp(from)} and ${column} < ${timestamp(to)}`;
  const whole = inside({ from: first.from, to: last.to });
  return ranges.length > 1 ? sql`${whole} and (${sql.join(ranges.map(inside), sql` or `)})` : whole;
}

/** A constant. A canonical instant holds nothing but digits and `T:.-Z`. */
export function timestamp(micros: bigint): SQL {
  return sql.raw(`'${instantOfMicros(micros)}'::timestamptz`);
}

/** ` union all select ... from <rollup>` for each rollup that is a source. */
export function unionOfRollups(
  sources: Pick<Sources, 'rollups'>,
  key: RollupKey,
  select: (bucket: SQL) => SQL,
  rest: SQL = sql``,
): SQL {
  const selects = sources.rollups.map(
    ({ resolution, where }) =>
      sql` union all select ${select(sql`bucket`)} from ${sql.identifier(rollupName(key, resolution))} where ${where}${rest}`,
  );
  return sql.join(selects);
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
