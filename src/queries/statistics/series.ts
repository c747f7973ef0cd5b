// Answers the statistics of each bucket of an interval, for a chart.
import { type SQL, sql } from 'drizzle-orm';
import { type Interval, instantOfMicros } from '../../contract/instant.ts';
import type { SeriesBucket } from '../../contract/series.ts';
import { RESOLUTIONS } from '../../db/rollups.ts';
import { countsFrom, figuresOf, mostFrequent } from '../../statistics/figures.ts';
import { addUp, FIRST_FREQUENCY, sumOf } from '../../statistics/histogram.ts';
import {
  type BucketPart,
  binned,
  epochOf,
  startsIn,
  startsOf,
  TOTALS,
  TOTALS_OF_POINTS,
  versionsOf,
} from '../../store/counted-points.ts';
import type { StoredSum } from '../../store/histogram-cache.ts';
import { answerFrom, type UsableRollup } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/rollups-in-use.ts';
import { type Sources, scansOfRollup, unionOfPoints } from '../../store/source-scans.ts';

/**
 * @param bucketSeconds buckets start at multiples of it since 1970: at midnight UTC for a day
 * @returns every bucket, from the one that holds `from`. Only the points in `[from, to)` count. A bucket without
 *   points has `point_count` 0 and null for the rest.
 */
export function series(store: Store, interval: Interval, bucketSeconds: number): Promise<SeriesBucket[]> {
  // a stored bucket of the same length is the answer; shorter ones add up to it if they have histograms
  const usable = RESOLUTIONS.flatMap(({ name: resolution, seconds, keys }): UsableRollup[] => {
    if (seconds === bucketSeconds) return [{ resolution, seconds, key: 'total' }];
    const isPart = keys.includes('histogram') && seconds < bucketSeconds && bucketSeconds % seconds === 0;
    return isPart ? [{ resolution, seconds, key: 'histogram' }] : [];
  });
  return answerFrom(store, interval, {
    select: (sources) => seriesOf(sources, bucketSeconds),
    usable,
    groupOf: (start) => Math.floor(start / bucketSeconds) * bucketSeconds,
    finish: ({ parts, stored }) => bucketsOf(parts, stored, interval, bucketSeconds),
  });
}

/** @returns the select that gives a `StatisticsRow` with at most one part for each bucket */
export function seriesOf(sources: Sources, bucketSeconds: number): SQL {
  const time = binned(sql`time`, bucketSeconds);
  const isWhole = ({ seconds }: { seconds: number }) => seconds === bucketSeconds;
  const whole = sources.rollups.filter(isWhole);
  const stored = sources.rollups.filter((rollup) => !isWhole(rollup));
  const mixed = startsIn(
    stored.flatMap(({ pieces }) => pieces),
    bucketSeconds,
  );
  const parts = [
    sql`
    select ${epochOf(sql`start`)} as start, ${TOTALS}, dominant_frequency_hz, frequencies
    from totals left join dominant using (start)`,
    ...whole.flatMap((rollup) =>
      scansOfRollup(
        rollup,
        'total',
        sql`${epochOf(sql`bucket`)}, ${TOTALS}, dominant_frequency_hz, null::json`,
      ),
    ),
  ];
  const isMixed =
    mixed.length > 0 ? sql`${epochOf(sql`start`)} in (${sql.raw(mixed.join(', '))})` : sql`false`;
  return sql`
  with totals as (
    ${unionOfPoints(sources, sql`${time} as start, ${TOTALS_OF_POINTS}`, sql` group by 1`)}
  ),
  counted as (
    ${unionOfPoints(
      sources,
      sql`${time} as start, frequency_hz, count(*) as point_count`,
      sql` and frequency_hz is not null group by 1, 2`,
    )}
  ),
  dominant as (
    -- the highest count, then the lowest frequency; frequencies are below 8192
    select start, (8191 - max(point_count * 8192 + 8191 - frequency_hz) % 8192)::int as dominant_frequency_hz,
      case when ${isMixed} then json_build_array(array_agg(frequency_hz), array_agg(point_count)) end as frequencies
    from counted group by start
  )
  select (select json_agg(part) from (${sql.join(parts, sql` union all `)}) as part) as parts,
    ${versionsOf(stored)} as versions`;
}

function bucketsOf(
  parts: readonly BucketPart[],
  stored: readonly StoredSum[],
  interval: Interval,
  bucketSeconds: number,
): SeriesBucket[] {
  const groups = new Map<number, { parts: BucketPart[]; stored: StoredSum[] }>();
  for (const start of startsOf(interval, bucketSeconds)) groups.set(start, { parts: [], stored: [] });
  for (const part of parts) groups.get(part.start ?? Number.NaN)?.parts.push(part);
  for (const sum of stored) groups.get(sum.group)?.stored.push(sum);
  return [...groups].map(([start, { parts, stored }]) => ({
    time: instantOfMicros(BigInt(start) * 1_000_000n),
    ...figuresOf(addUp([...parts, ...stored])),
    dominant_frequency_hz: dominantFrequency(parts, stored),
  }));
}

function dominantFrequency(parts: readonly BucketPart[], stored: readonly StoredSum[]): number | null {
  const [part] = parts;
  if (stored.length === 0) return part?.dominant_frequency_hz ?? null;
  const points = parts.flatMap(({ frequencies }) =>
    frequencies ? [countsFrom(FIRST_FREQUENCY, frequencies)] : [],
  );
  return mostFrequent(sumOf([...stored.map(({ frequencies }) => frequencies), ...points]));
}
