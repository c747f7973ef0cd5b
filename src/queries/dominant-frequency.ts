// The most frequent frequency of what some sources hold, the lowest among equals.
import { type SQL, sql } from 'drizzle-orm';
import { BLOCK } from '../timescale/rollups.ts';
import {
  BLOCK_COUNTS,
  BLOCK_FREQUENCY,
  BLOCK_MOST,
  BLOCK_SUMS,
  BLOCK_TOTALS,
  NO_COUNTS,
  type Sources,
  unionOfPoints,
  unionOfRollups,
} from './algebra.ts';

/**
 * @returns a select of `frequency_hz`; no row where no point has one
 *
 * Frequencies have a scan of their own: TimescaleDB counts in vectors where nothing else is asked, not even another
 * type. Sums are float8, which adds up whole numbers exactly, and faster than numeric, the sum of a bigint.
 */
export function dominantFrequency(sources: Sources): SQL {
  const points = unionOfPoints(
    sources,
    sql`frequency_hz, count(*) as point_count`,
    sql` group by frequency_hz`,
  );
  // without rollups all points are in one scan, whose groups are whole
  return sources.rollups.length > 0
    ? mostOfAll(sources, points)
    : sql`
      select frequency_hz from (${points}) as counted
      where frequency_hz is not null order by point_count desc, frequency_hz limit 1`;
}

/**
 * Adds up all blocks, and looks closely at those only whose frequencies the points can lift above all others: where
 * one has as many as the most frequent of the blocks, less what the points have of any at most.
 */
function mostOfAll(sources: Sources, points: SQL): SQL {
  const scans = sql.raw(`${sources.raw.length}`); // each has groups of its own
  return sql`
    with points as materialized (${points}),
    blocks as materialized (
      select block, ${BLOCK_TOTALS}
      from (
        select 0 as block, ${NO_COUNTS} where false${unionOfRollups(
          sources,
          'frequency',
          () => sql`block, ${BLOCK_SUMS}`,
          sql` group by block`,
        )}
      ) as parts
      group by block
    ),
    needed as materialized (
      select coalesce((select max(${BLOCK_MOST}) from blocks), 0) -
        coalesce((select max(point_count) from points where frequency_hz is not null), 0) * ${scans} as point_count
    ),
    near as materialized (select * from blocks where ${BLOCK_MOST} >= (select point_count from needed))
    select frequency_hz
    from (
      select frequency_hz, point_count::float8 from points
      where frequency_hz is not null
        and (frequency_hz / ${sql.raw(`${BLOCK}`)} in (select block from near) or (select point_count from needed) <= 0)
      union all
      select ${BLOCK_FREQUENCY}, point_count from near${BLOCK_COUNTS} where point_count > 0
    ) as frequencies
    group by frequency_hz order by sum(point_count) desc, frequency_hz limit 1`;
}
