// The statistics of each bucket of an interval, for a chart.
import { type SQL, sql } from 'drizzle-orm';
import { microsOf } from '../contract/instant.ts';
import type { SeriesBucket } from '../contract/series.ts';
import { audioData } from '../db/schema.ts';
import { instantText } from '../db/values.ts';
import { RESOLUTIONS } from '../timescale/rollups.ts';
import type { Store } from '../timescale/rollups-in-use.ts';
import {
  BLOCK_COUNTS,
  BLOCK_FREQUENCY,
  BLOCK_SUMS,
  FIGURES,
  NO_COUNTS,
  type Sources,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  timestamp,
  unionOfPoints,
  unionOfRollups,
} from './algebra.ts';
import { answerFrom, type Usable } from './cheapest-sources.ts';

/**
 * @param bucketSeconds buckets start at multiples of it since 1970: at midnight UTC for a day
 * @returns every bucket, from the one that holds `from`. Only the points in `[from, to)` count. A bucket without
 *   points has `point_count` 0 and null for the rest.
 */
export function series(
  store: Store,
  interval: { from: string; to: string },
  bucketSeconds: number,
): Promise<SeriesBucket[]> {
  const build = (sources: Sources) => seriesOf(sources, interval, bucketSeconds);
  // a stored bucket of the same length is the answer; shorter ones add up to it if their frequencies are counted
  const usable = RESOLUTIONS.flatMap(({ name: resolution, seconds, isCounted }): Usable[] => {
    if (seconds === bucketSeconds) return [{ resolution, seconds, keys: ['total'] }];
    const isPart = isCounted && seconds < bucketSeconds && bucketSeconds % seconds === 0;
    return isPart ? [{ resolution, seconds, keys: ['total', 'frequency'] }] : [];
  });
  return answerFrom<SeriesBucket>(store, interval, build, usable);
}

/** @returns the select of the buckets; the sources hold the points of the interval and no others */
export function seriesOf(
  sources: Sources,
  { from, to }: { from: string; to: string },
  bucketSeconds: number,
): SQL {
  // in seconds: a day may have 23 hours in the time zone of the session
  const width = sql.raw(`'${bucketSeconds} s'::interval`);
  const binned = (time: SQL) => sql`date_bin(${width}, ${time}, '1970-01-01T00:00:00Z'::timestamptz)`;
  const time = binned(sql`${audioData.time}`);
  const isWhole = ({ seconds }: { seconds: number }) => seconds === bucketSeconds;
  const whole = { rollups: sources.rollups.filter(isWhole) };
  const parts = { rollups: sources.rollups.filter((rollup) => !isWhole(rollup)) };
  return sql`
  with totals as (
    ${unionOfPoints(sources, sql`${time} as start, ${TOTALS_OF_POINTS}`, sql` group by 1`)}${unionOfRollups(sources, 'total', (bucket) => sql`${binned(bucket)}, ${TOTALS}`)}
  ),
  frequencies as (
    ${unionOfPoints(
      sources,
      sql`${time} as start, frequency_hz, count(*) as point_count`,
      sql` and frequency_hz is not null group by 1, 2`,
    )}
    union all
    select start, ${BLOCK_FREQUENCY}, point_count
    from (
      select ${time} as start, 0 as block, ${NO_COUNTS} from ${audioData} where false${unionOfRollups(
        parts,
        'frequency',
        (bucket) => sql`${binned(bucket)}, block, ${BLOCK_SUMS}`,
        sql` group by 1, 2`,
      )}
    ) as blocks${BLOCK_COUNTS} where point_count > 0
  ),
  dominant as (
    -- the highest count, then the lowest frequency; frequencies are below 8192
    select start, (8191 - max(point_count * 8192 + 8191 - frequency_hz) % 8192)::int as dominant_frequency_hz
    from (
      select start, frequency_hz, sum(point_count)::bigint as point_count from frequencies group by 1, 2
    ) as counted
    group by start${unionOfRollups(whole, 'total', (bucket) => sql`${bucket}, dominant_frequency_hz`)}
  ),
  total as (select start, ${TOTALS_OF_TOTALS} from totals group by start)
  select ${instantText(sql`start`)} as time, ${FIGURES}, dominant_frequency_hz
  from generate_series(${binned(timestamp(microsOf(from)))}, ${timestamp(microsOf(to) - 1n)}, ${width}) as start
  left join total using (start)
  left join dominant using (start)
  order by start`;
}
