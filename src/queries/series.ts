// The statistics of each bucket of an interval, for a chart.
import { type SQL, sql } from 'drizzle-orm';
import { floorTo, instantOfMicros, microsOf } from '../contract/instant.ts';
import type { SeriesBucket } from '../contract/series.ts';
import { audioData } from '../db/schema.ts';
import { FIRST_FREQUENCY, type StoredBucket } from '../timescale/histograms.ts';
import { RESOLUTIONS } from '../timescale/rollups.ts';
import type { Store } from '../timescale/rollups-in-use.ts';
import {
  type Part,
  type Sources,
  scansOfRollup,
  TOTALS,
  TOTALS_OF_POINTS,
  unionOfPoints,
  versionsOf,
} from './algebra.ts';
import { answerFrom, type Usable } from './cheapest-sources.ts';
import { addUp, countsFrom, figuresOf, mostFrequent, sumOf } from './figures.ts';

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
  // a stored bucket of the same length is the answer; shorter ones add up to it if they have histograms
  const usable = RESOLUTIONS.flatMap(({ name: resolution, seconds, isCounted }): Usable[] => {
    if (seconds === bucketSeconds) return [{ resolution, seconds, key: 'total' }];
    const isPart = isCounted && seconds < bucketSeconds && bucketSeconds % seconds === 0;
    return isPart ? [{ resolution, seconds, key: 'histogram' }] : [];
  });
  return answerFrom(store, interval, {
    select: (sources) => seriesOf(sources, bucketSeconds),
    usable,
    read: (histograms, versions) => histograms.read(versions),
    finish: ({ parts, stored }) => bucketsOf(parts, stored, interval, bucketSeconds),
  });
}

/** @returns the select that gives an `Answer` with a part for each bucket that has points, or more than one */
export function seriesOf(sources: Sources, bucketSeconds: number): SQL {
  const time = sql.raw(
    // in seconds: a day may have 23 hours in the time zone of the session
    `date_bin('${bucketSeconds} s'::interval, "${audioData.time.name}", '1970-01-01T00:00:00Z'::timestamptz)`,
  );
  const isWhole = ({ seconds }: { seconds: number }) => seconds === bucketSeconds;
  const whole = sources.rollups.filter(isWhole);
  const stored = sources.rollups.filter((rollup) => !isWhole(rollup));
  const mixed = startsOf(
    stored.flatMap(({ pieces }) => pieces),
    bucketSeconds,
  );
  const epoch = (start: SQL) => sql`extract(epoch from ${start})::bigint`;
  const parts = [
    sql`
    select ${epoch(sql`start`)} as start, ${TOTALS}, dominant_frequency_hz, frequencies
    from totals left join dominant using (start)`,
    ...whole.flatMap((rollup) =>
      scansOfRollup(
        rollup,
        'total',
        sql`${epoch(sql`bucket`)}, ${TOTALS}, dominant_frequency_hz, null::json`,
      ),
    ),
  ];
  const isMixed = mixed.length > 0 ? sql`${epoch(sql`start`)} in (${sql.raw(mixed.join(', '))})` : sql`false`;
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

/** The buckets in which some ranges lie, in seconds since 1970. */
function startsOf(ranges: readonly { from: bigint; to: bigint }[], bucketSeconds: number): number[] {
  const width = BigInt(bucketSeconds) * 1_000_000n;
  const starts = new Set<number>();
  for (const { from, to } of ranges)
    for (let start = floorTo(from, width); start < to; start += width) starts.add(Number(start / 1_000_000n));
  return [...starts];
}

/** Adds up what there is of each bucket. */
function bucketsOf(
  parts: readonly Part[],
  stored: readonly StoredBucket[],
  interval: { from: string; to: string },
  bucketSeconds: number,
): SeriesBucket[] {
  const groups = new Map<number, { parts: Part[]; stored: StoredBucket[] }>();
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  for (const start of startsOf([range], bucketSeconds)) groups.set(start, { parts: [], stored: [] });
  for (const part of parts) groups.get(part.start ?? 0)?.parts.push(part);
  for (const bucket of stored)
    groups.get(Math.floor(bucket.start / bucketSeconds) * bucketSeconds)?.stored.push(bucket);
  return [...groups].map(([start, { parts, stored }]) => ({
    time: instantOfMicros(BigInt(start) * 1_000_000n),
    ...figuresOf(addUp([...parts, ...stored])),
    dominant_frequency_hz: dominantFrequency(parts, stored),
  }));
}

function dominantFrequency(parts: readonly Part[], stored: readonly StoredBucket[]): number | null {
  const [part] = parts;
  if (stored.length === 0) return part?.dominant_frequency_hz ?? null;
  const points = parts.flatMap(({ frequencies }) =>
    frequencies ? [countsFrom(FIRST_FREQUENCY, frequencies)] : [],
  );
  return mostFrequent(sumOf([...stored.map(({ frequencies }) => frequencies), ...points]));
}
