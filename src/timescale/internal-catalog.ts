// Reads TimescaleDB's own catalog: holds every statement on it, and every column that these expect.
//
// The catalog is not documented, and another version may change it. The service then reads the points.
import { type SQL, sql } from 'drizzle-orm';
import type { Interval } from '../contract/instant.ts';
import { compile, parameter } from '../db/compile.ts';
import type { Database, Statement } from '../db/database.ts';
import { NOTED_BEFORE, rollupName } from '../db/rollups.ts';
import { instantText } from '../db/statement-values.ts';

/** Half open, in microseconds since 1970. */
export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

/** Every column that the statements read, and its type. */
const EXPECTED: Readonly<Record<string, string>> = {
  'bgw_job.config': 'jsonb',
  'bgw_job.hypertable_id': 'integer',
  'bgw_job.proc_name': 'name',
  'chunk.hypertable_id': 'integer',
  'chunk.id': 'integer',
  'continuous_agg.mat_hypertable_id': 'integer',
  'continuous_agg.raw_hypertable_id': 'integer',
  'continuous_agg.user_view_name': 'name',
  'continuous_agg.user_view_schema': 'name',
  'continuous_aggs_hypertable_invalidation_log.greatest_modified_value': 'bigint',
  'continuous_aggs_hypertable_invalidation_log.hypertable_id': 'integer',
  'continuous_aggs_hypertable_invalidation_log.lowest_modified_value': 'bigint',
  'continuous_aggs_invalidation_threshold.hypertable_id': 'integer',
  'continuous_aggs_invalidation_threshold.watermark': 'bigint',
  'continuous_aggs_materialization_invalidation_log.greatest_modified_value': 'bigint',
  'continuous_aggs_materialization_invalidation_log.lowest_modified_value': 'bigint',
  'continuous_aggs_materialization_invalidation_log.materialization_id': 'integer',
  'continuous_aggs_materialization_ranges.greatest_modified_value': 'bigint',
  'continuous_aggs_materialization_ranges.lowest_modified_value': 'bigint',
  'continuous_aggs_materialization_ranges.materialization_id': 'integer',
  'dimension.hypertable_id': 'integer',
  'dimension.id': 'integer',
  'dimension_slice.chunk_id': 'integer',
  'dimension_slice.dimension_id': 'integer',
  'dimension_slice.range_end': 'bigint',
  'dimension_slice.range_start': 'bigint',
};

/**
 * What an answer from rollups depends on, as one statement saw it.
 *
 * A continuous aggregate is stored apart from its points and may lag behind them. TimescaleDB notes each change
 * of the points in the transaction that makes it, so that a refresh knows what to compute again. A bucket that
 * any of these notes touches is stale; all other stored ones are fresh:
 *
 * 1. Whoever inserts, updates, deletes, truncates or drops a chunk leaves the range in the log of the
 *    hypertable. (TimescaleDB notes only changes before a threshold, usually the end of the latest refresh;
 *    migrations put it into the year 2100.)
 * 2. A refresh moves these ranges to a log for each aggregate, and computes what of that log lies in its
 *    window. A new aggregate has one range from minus to plus infinity, which refreshes cut pieces out of.
 * 3. A range is removed in the transaction that stores its buckets. Where the refresh takes it from the log
 *    before, it is in a third table until then.
 *
 * One case leaves no note: buckets that retention dropped. So only what lies in an existing chunk of the
 * aggregate counts as stored, and nothing from before its retention, where a refresh by hand may bring back a part
 * of a chunk. (A chunk that was dropped by hand and comes back counts as stored altogether.)
 *
 * Times are microseconds since 1970, the ends of bigint standing for infinity; chunks are half open. The function
 * that reads all this is in drizzle/0003.
 */
export interface RollupState {
  /** For each rollup by its name, the ranges in which its stored buckets agree with the points. */
  readonly fresh: Readonly<Record<string, string>> | null;
  /**
   * Which transaction last changed how each chunk is stored: in rows, in columns, or in both.
   *
   * TimescaleDB chooses when it plans whether to look for the points of a chunk in rows, in columns or in both, a
   * moment before the state that it reads. Where no chunk has changed from an earlier state to this one, the
   * choice was right.
   */
  readonly chunks: string | null;
}

/**
 * @param withFresh whether to read {@link RollupState.fresh}, which is null otherwise
 * @returns a select of the one row of `select` beside the {@link RollupState} of the same state
 */
export function withState(select: SQL, withFresh: boolean): SQL {
  return sql`select answer.*, state.*
    from (${select}) as answer, audio_data_rollup_state(${sql.raw(String(withFresh))}) as state`;
}

const state: Statement = {
  name: 'rollup_state',
  text: 'select * from audio_data_rollup_state($1)',
  parameters: ['with_fresh'],
};

export async function rollupState(db: Database, withFresh: boolean): Promise<RollupState> {
  const [found] = await db.query<RollupState>(state, { with_fresh: withFresh });
  if (!found) throw new Error('The function audio_data_rollup_state gave no row');
  return found;
}

/** @returns the ranges in which a rollup is fresh, in order; PostgreSQL writes them as `{[1,5),[8,9)}` */
export function freshRanges({ fresh }: RollupState, rollup: string): Range[] {
  const bounds = [...(fresh?.[rollup] ?? '').matchAll(/[[(](-?\d*),(-?\d*)\)/g)];
  return bounds.map(([, from, to]) => ({ from: BigInt(from || MIN_INT8), to: BigInt(to || MAX_INT8) }));
}

const [MIN_INT8, MAX_INT8] = ['-9223372036854775808', '9223372036854775807'];

const isCoarsest = sql`user_view_schema = current_schema()
  and user_view_name = ${sql.raw(`'${rollupName('total', '1d')}'`)}`;

/** A subselect, so that it is computed once and not for each row. */
const micros = (name: string) =>
  sql`(select (extract(epoch from ${parameter(name)}::timestamptz) * 1000000)::bigint)`;

const bounds = (bound: 'range_start' | 'range_end', order: 'asc' | 'desc', places: string, name: string) =>
  compile(
    sql`
  select ${instantText(sql`to_timestamp(${sql.raw(bound)} / 1000000.0)`)} as time
  from (
    select ${sql.raw(bound)}, row_number() over (order by ${sql.raw(`${bound} ${order}`)}) as place
    from _timescaledb_catalog.continuous_agg
    join _timescaledb_catalog.dimension on hypertable_id = raw_hypertable_id
    join _timescaledb_catalog.dimension_slice on dimension_id = dimension.id
    where ${isCoarsest} and ${sql.raw(bound)} > ${micros('from')} and ${sql.raw(bound)} < ${micros('to')}
  ) as bounds
  where place in (${sql.raw(places)})
  order by place
`,
    name,
  );

const starts = bounds('range_start', 'desc', '4, 16, 64, 256, 1024', 'chunk_starts');
const lastStarts = bounds('range_start', 'desc', '1, 8, 64, 512', 'last_chunk_starts');
const firstEnds = bounds('range_end', 'asc', '1, 8, 64, 512', 'first_chunk_ends');

/** Where chunks of audio_data start: the 4th of those in an interval, counted back, the 16th, ... */
export const chunkStarts = (db: Database, interval: Interval) => times(db, starts, interval);

/** The same, from the last one on: the 1st, the 8th, ... */
export const lastChunkStarts = (db: Database, interval: Interval) => times(db, lastStarts, interval);

/** Where chunks of audio_data end: the 1st of those in an interval, the 8th, ... */
export const firstChunkEnds = (db: Database, interval: Interval) => times(db, firstEnds, interval);

async function times(db: Database, statement: Statement, { from, to }: Interval): Promise<string[]> {
  const found = await db.query<{ time: string }>(statement, { from, to });
  return found.map(({ time }) => time);
}

const columns: Statement = {
  text: `
    select relname || '.' || attname as name, format_type(atttypid, atttypmod) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = to_regnamespace('_timescaledb_catalog') and attnum > 0 and not attisdropped`,
  parameters: [],
};

/** @returns a column that is not as this file expects it, and how; undefined if all are */
export async function unexpectedColumn(db: Database): Promise<string | undefined> {
  const found = await db.query<{ name: string; type: string }>(columns);
  const types = new Map(found.map(({ name, type }) => [name, type]));
  for (const [name, type] of Object.entries(EXPECTED)) {
    const present = types.get(name);
    if (present !== type) return `_timescaledb_catalog.${name} is ${present ?? 'not there'}, and not ${type}`;
  }
  return undefined;
}

const threshold = compile(sql`
  select watermark >= extract(epoch from ${sql.raw(`'${NOTED_BEFORE}'`)}::timestamptz) * 1000000 as enough
  from _timescaledb_catalog.continuous_agg
  join _timescaledb_catalog.continuous_aggs_invalidation_threshold on hypertable_id = raw_hypertable_id
  where ${isCoarsest}`);

/** @returns whether TimescaleDB notes every change of a point, whatever its time */
export async function notesEveryChange(db: Database): Promise<boolean> {
  const [found] = await db.query<{ enough: boolean }>(threshold);
  return found?.enough ?? false;
}
