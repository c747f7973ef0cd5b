// Reads TimescaleDB's own catalog, and knows every column that this and drizzle/0003 expect of it.
//
// The catalog is not documented, and another version may change it. The service then reads the points.
import type { Interval } from '../contract/instant.ts';
import { compile, parameter } from '../db/compile.ts';
import type { Database, Statement } from '../db/database.ts';
import { sql } from '../db/drizzle.ts';
import { NOTED_BEFORE, rollupName } from '../db/rollups.ts';
import { instantText } from '../db/statement-values.ts';

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

const isCoarsest = sql`user_view_schema = current_schema()
  and user_view_name = ${sql.raw(`'${rollupName('total', '1d')}'`)}`;

/** A subselect, so that it is computed once and not for each row. */
const micros = (name: string) =>
  sql`(select (extract(epoch from ${parameter(name)}::timestamptz) * 1000000)::bigint)`;

/** Reads some bounds of the chunks in an interval. */
function bounds(bound: 'range_start' | 'range_end', order: 'asc' | 'desc', places: string, name: string) {
  const statement = compile(
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
  return async (db: Database, { from, to }: Interval): Promise<string[]> => {
    const found = await db.query<{ time: string }>(statement, { from, to });
    return found.map(({ time }) => time);
  };
}

/** Where chunks of audio_data start: the 4th of those in an interval, counted back, the 16th, ... */
export const chunkStarts = bounds('range_start', 'desc', '4, 16, 64, 256, 1024', 'chunk_starts');

/** The same, from the last one on: the 1st, the 8th, ... */
export const lastChunkStarts = bounds('range_start', 'desc', '1, 8, 64, 512', 'last_chunk_starts');

/** Where chunks of audio_data end: the 1st of those in an interval, the 8th, ... */
export const firstChunkEnds = bounds('range_end', 'asc', '1, 8, 64, 512', 'first_chunk_ends');

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
