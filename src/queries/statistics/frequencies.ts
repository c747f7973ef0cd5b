// Counts the points whose dominant frequency lies in each band, bucket by bucket.
import { BAND_STARTS, BANDS } from '../../contract/bands.ts';
import type { FrequencyBucket } from '../../contract/frequencies.ts';
import { type Interval, instantOfMicros } from '../../contract/instant.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { binned, epochOf, startsOf } from '../../store/bucket-times.ts';
import { readParts, usableRollups } from '../../store/rollup-planner.ts';
import { type Sources, selectsOf, unionAll, unionOfPoints } from '../../store/source-scans.ts';
import type { Store } from '../../store/store.ts';

/** The number of the band, from 0, as audio_data_bands (drizzle/0003) has it; null without a frequency. */
const BAND = sql.raw(`width_bucket(frequency_hz, array[${BAND_STARTS.join(', ')}])`);

interface BandRow {
  /** In seconds since 1970. */
  readonly start: number;
  readonly bands: readonly (number | null)[];
  readonly counts: readonly number[];
}

/**
 * @param bucketSeconds buckets start at multiples of it since 1970
 * @returns every bucket, from the one that holds `from`. Only the points in `[from, to)` count.
 */
export async function frequencies(
  store: Store,
  interval: Interval,
  bucketSeconds: number,
): Promise<FrequencyBucket[]> {
  const usable = usableRollups('band').filter(({ seconds }) => bucketSeconds % seconds === 0);
  const { rows } = await readParts<BandRow>(store, interval, {
    select: (sources) => selectBands(sources, bucketSeconds),
    usable,
  });
  return bucketsOf(rows, startsOf(interval, bucketSeconds));
}

/** @returns the select of a {@link BandRow} for each bucket */
function selectBands(sources: Sources, bucketSeconds: number): SQL {
  const counted = [
    unionOfPoints(
      sources.raw,
      sql`${binned(sql`time`, bucketSeconds)} as start, ${BAND} as band, count(*) as point_count`,
      sql` group by 1, 2`,
    ),
    ...selectsOf(
      sources.rollups,
      sql`${binned(sql`bucket`, bucketSeconds)}, band, sum(point_count)`,
      sql` group by 1, 2`,
    ),
  ];
  return sql`
  select ${epochOf(sql`start`)} as start, array_agg(band) as bands, array_agg(point_count) as counts
  from (${unionAll(counted)}) as counted
  group by start`;
}

function bucketsOf(rows: readonly BandRow[], starts: readonly number[]): FrequencyBucket[] {
  const buckets = new Map(
    starts.map((start) => [start, { point_count: 0, counts: new Array<number>(BANDS.length).fill(0) }]),
  );
  for (const { start, bands, counts } of rows) {
    const bucket = buckets.get(start);
    for (const [place, band] of bands.entries()) {
      const count = counts[place] ?? 0;
      if (!bucket) continue;
      bucket.point_count += count;
      if (band !== null) bucket.counts[band] = (bucket.counts[band] ?? 0) + count;
    }
  }
  return [...buckets].map(([start, bucket]) => ({
    time: instantOfMicros(BigInt(start) * 1_000_000n),
    ...bucket,
  }));
}
