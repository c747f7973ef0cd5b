// Whether TimescaleDB keeps its notes about changed points where clean-buckets.ts reads them, and its list of
// chunks where read-back.ts does. They are its own affair and not documented: a version that keeps them
// otherwise must find the service careful.
import type { Database } from '../db/database.ts';
import { NOTED_BEFORE, ROLLUPS, rollupName } from './rollups.ts';

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

const columns = {
  text: `
    select relname || '.' || attname as name, format_type(atttypid, atttypmod) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = to_regnamespace('_timescaledb_catalog') and attnum > 0 and not attisdropped`,
  parameters: [],
};

const settings = {
  text: `
    select current_setting('timescaledb.skip_cagg_invalidation', true) is not distinct from 'on' as unlogged,
      array(select name from unnest(array[${ROLLUPS.map(({ name }) => `'${name}'`).join(', ')}]) as name
        where to_regclass(name) is null) as missing,
      array(select name from unnest(array[${ROLLUPS.map(({ name }) => `'${name}'`).join(', ')}]) as name
        where not has_table_privilege(to_regclass(name), 'select')) as forbidden,
      exists (select from pg_trigger where tgrelid = to_regclass('audio_data')
        and tgname = 'audio_data_await_refreshes' and tgenabled in ('O', 'A')) as guarded,
      exists (select from pg_extension where extname = 'timescaledb') as timescaledb`,
  parameters: [],
};

interface Settings {
  unlogged: boolean;
  missing: string[];
  forbidden: string[];
  guarded: boolean;
  timescaledb: boolean;
}

const threshold = {
  text: `
    select watermark >= extract(epoch from '${NOTED_BEFORE}'::timestamptz) * 1000000 as enough
    from _timescaledb_catalog.continuous_agg
    join _timescaledb_catalog.continuous_aggs_invalidation_threshold on hypertable_id = raw_hypertable_id
    where user_view_schema = current_schema() and user_view_name = '${rollupName('total', '1d')}'`,
  parameters: [],
};

/** @returns why the rollups cannot be used, `null` where there are none by design, undefined when they can. */
export async function rollupFault(db: Pick<Database, 'query'>): Promise<string | null | undefined> {
  const [found] = await db.query<Settings>(settings);
  if (!found?.timescaledb || found.missing.length === ROLLUPS.length) return null;
  if (found.missing.length > 0) return `the database has no ${found.missing.join(', ')}`;
  if (found.forbidden.length > 0)
    return `this role may not read ${found.forbidden.join(', ')}: run \`npm run migrate\` with READER_ROLE`;
  if (!found.guarded)
    return 'updates of points do not wait for refreshes: the trigger audio_data_await_refreshes is not there or off';
  if (found.unlogged) return 'timescaledb.skip_cagg_invalidation is on: changes of points are not logged';
  const present = new Map(
    (await db.query<{ name: string; type: string }>(columns)).map(({ name, type }) => [name, type]),
  );
  for (const [name, type] of Object.entries(EXPECTED)) {
    if (present.get(name) === type) continue;
    return `_timescaledb_catalog.${name} is ${present.get(name) ?? 'not there'}, and not ${type}`;
  }
  const [noted] = await db.query<{ enough: boolean }>(threshold);
  return noted?.enough ? undefined : 'not every change of a point is noted: run `npm run migrate`';
}
