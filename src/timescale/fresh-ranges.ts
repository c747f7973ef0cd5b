// Which buckets of the rollups say what the points say now.
//
// A continuous aggregate is stored apart from its points and may lag behind them. TimescaleDB notes, in the
// same transaction as each change of the points, in which range of time they changed, so that its refresh
// knows what to compute again. Those notes are read here, and a bucket that any of them touches is not used:
//
// 1. Whoever inserts, updates, deletes, truncates or drops a chunk leaves the range in the log of the
//    hypertable. (TimescaleDB notes only changes before a threshold, usually the end of the latest refresh;
//    db/migrate.ts puts it into the year 2100.)
// 2. A refresh moves these ranges to a log for each aggregate, and computes what of that log lies in its
//    window. What was never computed is in this log from the start: a new aggregate has one range from minus
//    to plus infinity, which refreshes cut pieces out of.
// 3. A range is removed in the transaction that stores its buckets. Where the refresh takes it from the log
//    before, it is in a third table until then.
//
// In one state of the database, then, a stored bucket that none of the three touches is what the points of
// that state add up to. One case leaves no note: stored buckets that were dropped themselves, by retention.
// So only what lies in a chunk of the aggregate that exists counts as stored. (Who drops chunks of a rollup by
// hand must refresh all that they held: a chunk that comes back counts as stored altogether.)
//
// And a refresh must see what it stores: a trigger on audio_data (drizzle/0003) keeps updates and deletes, which
// take rows out of the columnstore, from running beside one.
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Held } from '../queries/split-interval.ts';
import { RESOLUTIONS, ROLLUPS } from './rollups.ts';

const known = sql.raw(ROLLUPS.map(({ name, resolution }) => `('${name}', '${resolution}')`).join(', '));

/** The range of a note. */
const noted = sql.raw(
  'int8range(lowest_modified_value, nullif(greatest_modified_value, 9223372036854775807) + 1)',
);

/**
 * Selects the ranges of clean buckets, as {@link heldIn} takes them. A rollup's buckets are clean where
 * those of all its keys are, so that one plan serves all of them.
 *
 * Times are microseconds since 1970. The logs hold the first and the last instant that changed, the ends of
 * bigint standing for infinity; chunks are half open.
 */
export const cleanRanges: SQL = sql`
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
  changed as (select id, range_agg(${noted}) as ranges from note group by id),
  clean as (
    select resolution, range_intersect_agg(
      coalesce(stored.ranges, '{}') - coalesce(changed.ranges, '{}') - coalesce(logged.ranges, '{}')) as ranges
    from rollup left join stored using (id) left join changed using (id) left join logged using (raw_id)
    group by resolution
  )
  select resolution, lower(range)::text as from, upper(range)::text as to
  from clean, unnest(ranges) as range
  order by lower(range)`;

/** What {@link cleanRanges} selects. */
export const CleanRanges = z.array(z.object({ resolution: z.string(), from: z.string(), to: z.string() }));

/** @returns for each resolution, coarsest first, where its buckets are clean */
export function heldIn(clean: z.infer<typeof CleanRanges>): Held[] {
  return RESOLUTIONS.map(({ name, seconds }) => ({
    resolution: name,
    seconds,
    clean: clean
      .filter(({ resolution }) => resolution === name)
      .map(({ from, to }) => ({ from: BigInt(from), to: BigInt(to) })),
  }));
}
