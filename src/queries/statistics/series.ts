// Answers the statistics of each bucket of an interval, for a chart.
import { type SQL, sql } from 'drizzle-orm';
import { type Interval, instantOfMicros } from '../../contract/instant.ts';
import type { SeriesBucket } from '../../contract/series.ts';
import { RESOLUTIONS } from '../../db/rollups.ts';
import { figuresOf, mostFrequent } from '../../statistics/figures.ts';
import { addCounts, FIRST_FREQUENCY } from '../../statistics/histogram.ts';
import { addUp } from '../../statistics/totals.ts';
import { binned, epochOf, startsIn, startsOf } from '../../store/bucket-times.ts';
import {
  countsFrom,
  type GivenCounts,
  TOTALS,
  TOTALS_OF_POINTS,
  type TotalsRow,
  totalsOf,
} from '../../store/counted-points.ts';
import type { StoredSum } from '../../store/histogram-cache.ts';
import { type Parts, readParts } from '../../store/rollup-planner.ts';
import {
  type Sources,
  selectsOf,
  type UsableRollup,
  unionAll,
  unionOfPoints,
} from '../../store/source-scans.ts';
import type { Store } from '../../store/store.ts';

/**
 * @param bucketSeconds buckets start at multiples of it since 1970: at midnight UTC for a day
 * @returns every bucket, from the one that holds `from`. Only the points in `[from, to)` count. A bucket without
 *   points has `point_count` 0 and null for the rest.
 */
export async function series(
  store: Store,
  interval: Interval,
  bucketSeconds: number,
): Promise<SeriesBucket[]> {
  // a stored bucket of the same length is the answer; shorter ones add up to it if they have histograms
  const usable = RESOLUTIONS.flatMap(({ name: resolution, seconds, keys }): UsableRollup[] => {
    if (seconds === bucketSeconds) return [{ resolution, seconds, key: 'total', isCached: false }];
    const isPart = keys.includes('histogram') && seconds < bucketSeconds && bucketSeconds % seconds === 0;
    return isPart ? [{ resolution, seconds, key: 'histogram', isCached: true }] : [];
  });
  const parts = await readParts<BucketRow>(store, interval, {
    select: (sources) => selectBuckets(sources, bucketSeconds),
    usable,
    groupOf: (start) => Math.floor(start / bucketSeconds) * bucketSeconds,
  });
  return bucketsOf(parts, interval, bucketSeconds);
}

interface BucketRow extends TotalsRow {
  /** In seconds since 1970. */
  readonly start: number;
  /** Of the points that the statement read. */
  readonly dominant_frequency_hz: number | null;
  /** In hertz; null unless cached buckets add to this one. */
  readonly frequencies: GivenCounts;
}

/** @returns the select of at most one {@link BucketRow} for each bucket */
function selectBuckets({ raw, rollups, cached }: Sources, bucketSeconds: number): SQL {
  const time = binned(sql`time`, bucketSeconds);
  const stored = cached.flatMap(({ pieces }) => pieces);
  const mixed = startsIn(stored, bucketSeconds);
  const parts = [
    sql`
    select ${epochOf(sql`start`)} as start, ${TOTALS}, dominant_frequency_hz, frequencies
    from totals left join dominant using (start)`,
    ...selectsOf(rollups, sql`${epochOf(sql`bucket`)}, ${TOTALS}, dominant_frequency_hz, null::json`),
  ];
  return sql`
  with totals as (
    ${unionOfPoints(raw, sql`${time} as start, ${TOTALS_OF_POINTS}`, sql` group by 1`)}
  ),
  counted as (
    ${unionOfPoints(
      raw,
      sql`${time} as start, frequency_hz, count(*) as point_count`,
      sql` and frequency_hz is not null group by 1, 2`,
    )}
  ),
  dominant as (
    -- the highest count, then the lowest frequency; frequencies are below 8192
    select start, (8191 - max(point_count * 8192 + 8191 - frequency_hz) % 8192)::int as dominant_frequency_hz,
      case when ${epochOf(sql`start`)} = any(${`{${mixed.join()}}`}::bigint[])
        then json_build_array(array_agg(frequency_hz), array_agg(point_count)) end as frequencies
    from counted group by start
  )
  ${unionAll(parts)}`;
}

function bucketsOf(
  { rows, stored }: Parts<BucketRow>,
  interval: Interval,
  bucketSeconds: number,
): SeriesBucket[] {
  const groups = new Map<number, { rows: BucketRow[]; stored: StoredSum[] }>();
  for (const start of startsOf(interval, bucketSeconds)) groups.set(start, { rows: [], stored: [] });
  for (const row of rows) groups.get(row.start)?.rows.push(row);
  for (const sum of stored) groups.get(sum.group)?.stored.push(sum);
  return [...groups].map(([start, { rows, stored }]) => ({
    time: instantOfMicros(BigInt(start) * 1_000_000n),
    ...figuresOf(addUp([...rows.map(totalsOf), ...stored])),
    dominant_frequency_hz: dominantFrequency(rows, stored),
  }));
}

function dominantFrequency(rows: readonly BucketRow[], stored: readonly StoredSum[]): number | null {
  if (stored.length === 0) return rows[0]?.dominant_frequency_hz ?? null;
  const counted = rows.flatMap(({ frequencies }) =>
    frequencies ? [countsFrom(FIRST_FREQUENCY, frequencies)] : [],
  );
  return mostFrequent(addCounts([...stored.map(({ frequencies }) => frequencies), ...counted]));
}
