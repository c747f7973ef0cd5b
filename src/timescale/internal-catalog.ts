// TimescaleDB's own catalog: every statement on it, and every column that these expect.
//
// It is not documented, and another version may keep it otherwise. Where it does, the service reads the points.
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { compile, parameter } from '../db/compile.ts';
import type { Database, Statement } from '../db/database.ts';
import { instantText } from '../db/values.ts';
import { NOTED_BEFORE, RESOLUTIONS, type Resolution, ROLLUPS, rollupName } from './rollups.ts';

/** Half open, in microseconds since 1970. */
export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

/** Buckets of one length, and the ranges in which every one of them is fresh. */
export interface FreshBuckets {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly fresh: readonly Range[];
}

/** Every column that is read, and its type. */
const EXPECTED: Readonly<Record<string, string>> = {
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

const known = sql.raw(ROLLUPS.map(({ name, resolution }) => `('${name}', '${resolution}')`).join(', '));

/** The range of a note. The logs hold the first and the last instant that changed. */
const noted = sql.raw(
  'int8range(lowest_modified_value, nullif(greatest_modified_value, 9223372036854775807) + 1)',
);

/**
 * The ranges in which the stored buckets of a resolution say what the points say now. Buckets of a resolution
 * are fresh where those of all its keys are, so that one plan serves all of them.
 *
 * A continuous aggregate is stored apart from its points and may lag behind them. TimescaleDB notes each change
 * of the points in the transaction that makes it, so that a refresh knows what to compute again. A bucket that
 * any of these notes touches is stale:
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
 * aggregate counts as stored. (A chunk that was dropped by hand and comes back counts as stored altogether.)
 *
 * Times are microseconds since 1970, the ends of bigint standing for infinity; chunks are half open.
 */
const freshRanges: SQL = sql`
  with rollup as (
    select name, resolution, mat_hypertable_id as id, raw_hypertable_id as raw_id
    from (values ${known}) as known (name, resolution)
    left join _timescaledb_catalog.continuous_agg
      on user_view_schema = current_schema() and user_view_name = name
  ),
  stored as (
    select rollup.id, range_agg(int8range(range_start, range_end)) as ranges
    from rollup
    join _timescaledb_catalog.chunk on hypertable_id = rollup.id
    join _timescaledb_catalog.dimension_slice on chunk_id = chunk.id
    group by rollup.id
  ),
  -- each transaction leaves one of these: they are joined once, not for each rollup
  logged as (
    select hypertable_id as raw_id, range_agg(${noted}) as ranges
    from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log
    where hypertable_id in (select raw_id from rollup)
    group by hypertable_id
  ),
  note as (
    select materialization_id as id, lowest_modified_value, greatest_modified_value
    from _timescaledb_catalog.continuous_aggs_materialization_invalidation_log
    union all
    select materialization_id, lowest_modified_value, greatest_modified_value
    from _timescaledb_catalog.continuous_aggs_materialization_ranges
  ),
  stale as (select id, range_agg(${noted}) as ranges from note group by id),
  fresh as (
    select resolution, range_intersect_agg(
      coalesce(stored.ranges, '{}') - coalesce(stale.ranges, '{}') - coalesce(logged.ranges, '{}')) as ranges
    from rollup left join stored using (id) left join stale using (id) left join logged using (raw_id)
    group by resolution
  )
  select resolution, lower(range)::text as from, upper(range)::text as to
  from fresh, unnest(ranges) as range
  order by lower(range)`;

/** Which transaction last changed how each chunk is stored: in rows, in columns, or in both. */
const chunkVersions: SQL = sql`
  select string_agg(id || ' ' || xmin, ',' order by id) from _timescaledb_catalog.chunk`;

/** The columns of {@link withState} beside the rows. */
const State = z.object({
  fresh: z.array(z.object({ resolution: z.string(), from: z.string(), to: z.string() })),
  chunks: z.string().nullable(),
});

/** What an answer from rollups depends on, in the state of the database that one statement saw. */
export interface RollupState {
  /** Coarsest first. */
  readonly fresh: readonly FreshBuckets[];
  /** Changes with every chunk that is made, dropped, or moved between rows and columns. */
  readonly chunks: string | null;
}

/**
 * TimescaleDB chooses when it plans whether to look for the points of a chunk in rows, in columns or in both, a
 * moment before the state that it reads. Where no chunk has changed from an earlier state to this one, the
 * choice was right.
 *
 * @returns a select of one row: the rows of `select`, and of the same state what {@link readState} reads
 */
export function withState(select: SQL): SQL {
  return sql`select
    (select coalesce(json_agg(answer), '[]') from (${select}) as answer) as rows,
    (select coalesce(json_agg(range), '[]') from (${freshRanges}) as range) as fresh,
    (${chunkVersions}) as chunks`;
}

/** @param row a row of {@link withState} */
export function readState(row: unknown): RollupState {
  const { fresh, chunks } = State.parse(row);
  return {
    chunks,
    fresh: RESOLUTIONS.map(({ name, seconds }) => ({
      resolution: name,
      seconds,
      fresh: fresh
        .filter(({ resolution }) => resolution === name)
        .map(({ from, to }) => ({ from: BigInt(from), to: BigInt(to) })),
    })),
  };
}

const isCoarsest = sql`user_view_schema = current_schema()
  and user_view_name = ${sql.raw(`'${rollupName('total', '1d')}'`)}`;

const micros = (name: string) => sql`(extract(epoch from ${parameter(name)}::timestamptz) * 1000000)::bigint`;

const starts = compile(
  sql`
  select ${instantText(sql`to_timestamp(range_start / 1000000.0)`)} as time
  from (
    select range_start, row_number() over (order by range_start desc) as place
    from _timescaledb_catalog.continuous_agg
    join _timescaledb_catalog.dimension on hypertable_id = raw_hypertable_id
    join _timescaledb_catalog.dimension_slice on dimension_id = dimension.id
    where ${isCoarsest} and range_start > ${micros('from')} and range_start < ${micros('to')}
  ) as starts
  where place in (4, 16, 64, 256, 1024)
  order by place
`,
  'chunk_starts',
);

/** Where chunks of audio_data start: the 4th of those in an interval, counted back, the 16th, ... */
export async function chunkStarts(db: Database, interval: { from: string; to: string }): Promise<string[]> {
  const found = await db.query<{ time: string }>(starts, interval);
  return found.map(({ time }) => time);
}

const columns: Statement = {
  text: `
    select relname || '.' || attname as name, format_type(atttypid, atttypmod) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = to_regnamespace('_timescaledb_catalog') and attnum > 0 and not attisdropped`,
  parameters: [],
};

/** @returns which column is not as this file expects it, undefined where all are */
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

/** @returns whether TimescaleDB notes every change of a point, of whatever time */
export async function notesEveryChange(db: Database): Promise<boolean> {
  const [found] = await db.query<{ enough: boolean }>(threshold);
  return found?.enough ?? false;
}
