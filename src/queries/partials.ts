// What statistics are made of, from wherever it is read: rows that add up over any pieces of time.
//
// - `totals` (point_count, level_count, level_sum, min_db, max_db, power_sum, silence_count): of all points
// - `levels` (level, point_count): how many points have each level, in tenths of a dB
// - `frequencies` (frequency_hz, point_count): how many points have each frequency
//
// The first select of each reads the points and defines what the rollups (drizzle/0002) store. Frequencies are
// counted in a scan of their own: that is all counting, which TimescaleDB does in vectors.
import { type SQL, sql } from 'drizzle-orm';
import { instantOfMicros } from '../contract/instant.ts';
import { RESOLUTIONS, type Resolution, type RollupKey, rollupName } from '../db/rollups.ts';
import { audioData } from '../db/schema.ts';
import type { Piece } from './pieces.ts';

/** What to read of the points and of each rollup: conditions on `time` and `bucket`. */
export interface Sources {
  readonly raw: SQL;
  readonly rollups: readonly { readonly resolution: Resolution; readonly where: SQL }[];
}

/** The points of one interval, from the points themselves. */
export function rawSources(from: SQL | unknown, to: SQL | unknown): Sources {
  return { raw: sql`${audioData.time} >= ${from} and ${audioData.time} < ${to}`, rollups: [] };
}

/** The points of all pieces, each from its source. */
export function sourcesOf(pieces: readonly Piece[]): Sources {
  return {
    raw: within(sql`${audioData.time}`, pieces, 'raw'),
    rollups: RESOLUTIONS.map(({ name }) => name)
      .filter((resolution) => pieces.some(({ source }) => source === resolution))
      .map((resolution) => ({ resolution, where: within(sql`bucket`, pieces, resolution) })),
  };
}

/** Constants, not parameters: only by those does the planner leave out chunks and add up in vectors. */
function within(column: SQL, pieces: readonly Piece[], source: Piece['source']): SQL {
  const ranges = pieces
    .filter((piece) => piece.source === source)
    .map(({ from, to }) => sql`${column} >= ${literal(from)} and ${column} < ${literal(to)}`);
  return ranges.length > 0 ? sql.join(ranges, sql` or `) : sql`false`;
}

/** A canonical instant holds digits and `T:.-Z` only. */
function literal(micros: bigint): SQL {
  return sql.raw(`'${instantOfMicros(micros)}'::timestamptz`);
}

// Sums of floats depend on their order. Levels are summed as whole numbers of 2^-32 dB, which a real
// beyond -0.002 dB is exactly, so that avg_db is the same whatever the order.
export function partials({ raw, rollups }: Sources): SQL {
  const stored = (select: SQL, key: RollupKey, group: SQL) =>
    rollups.map(
      ({ resolution, where }) =>
        sql` union all select ${select} from ${sql.identifier(rollupName(key, resolution))} where ${where}${group}`,
    );
  const totals = sql.raw('point_count, level_count, level_sum, min_db, max_db, power_sum, silence_count');
  return sql`
  measured as (
    select level,
      count(*) as point_count,
      count(rms_db) as level_count,
      sum(round(rms_db::float8 * 4294967296)::bigint) as level_sum,
      min(rms_db) as min_db,
      max(rms_db) as max_db,
      sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
      count(*) filter (where is_silence) as silence_count
    from (
      select rms_db, is_silence, round(rms_db::float8 * 10)::int as level from ${audioData} where ${raw}
    ) as points
    group by level
  ),
  totals as (
    select ${totals} from measured${sql.join(stored(totals, 'total', sql``))}
  ),
  levels as (
    select level, point_count from measured${sql.join(
      stored(sql`level, sum(point_count)`, 'level', sql` group by level`),
    )}
  ),
  frequencies as (
    select frequency_hz, count(*) as point_count from ${audioData} where ${raw} group by frequency_hz${sql.join(
      stored(sql`frequency_hz, sum(point_count)`, 'frequency', sql` group by frequency_hz`),
    )}
  )`;
}
