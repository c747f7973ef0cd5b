// Counts the points whose dominant frequency lies in each band, bucket by bucket.
import { BAND_STARTS, BANDS } from '../../../contract/bands.ts';
import { type Interval, instantOfMicros } from '../../../contract/instant.ts';
import { type SQL, sql } from '../../../database/drizzle.ts';
import { rollupsOf } from '../../../database/rollups.ts';
import { answer, type RollupQuery } from '../../../rollups/rollup-planner.ts';
import { type Sources, selectsOf, unionAll, unionOfPoints } from '../../../rollups/source-scans.ts';
import type { Store } from '../../../rollups/store.ts';
import { type Buckets, bucketsOf, lengthsOfHistory } from '../buckets.ts';
import type { FrequencyBucket } from './contract.ts';

/** The index of the band, from 0, as in audio_data_bands (drizzle/0003); null without a frequency. */
export const BAND = sql.raw(`width_bucket(frequency_hz, array[${BAND_STARTS.join(', ')}])`);

/** The band of points that only history has: it has no frequencies. */
const GONE = -1;

interface BandRow {
  readonly index: number;
  readonly bands: readonly (number | null)[];
  readonly counts: readonly number[];
}

/** @param cuts as in {@link bucketsOf}. @returns every bucket; the first counts only points from `from` on */
export const frequencies = async (
  store: Store,
  interval: Interval,
  bucketSeconds: number,
  cuts?: readonly string[],
) => answer(store, bandsByBucket(bucketsOf(interval, bucketSeconds, cuts)));

export const bandsByBucket = (buckets: Buckets): RollupQuery<BandRow, FrequencyBucket[]> => ({
  ranges: buckets.ranges,
  usable: rollupsOf('band').filter(({ seconds }) => buckets.isPart(seconds)),
  history: lengthsOfHistory(buckets),
  select: (sources) => selectBands(sources, buckets),
  answer: (rows) => answerOf(rows, buckets),
});

function selectBands({ raw, rollups, history }: Sources, { keyOf, indexOf }: Buckets): SQL {
  const counted = [
    unionOfPoints(
      raw,
      sql`${keyOf(sql`time`)} as key, ${BAND} as band, count(*) as point_count`,
      sql` group by 1, 2`,
    ),
    ...selectsOf(rollups, sql`${keyOf(sql`bucket`)}, band, sum(point_count)`, sql` group by 1, 2`),
    ...selectsOf(
      history,
      sql`${keyOf(sql`bucket`)}, ${sql.raw(String(GONE))}, sum(point_count)`,
      sql` group by 1, 2`,
    ),
  ];
  return sql`
  select ${indexOf(sql`key`)} as index, array_agg(band) as bands, array_agg(point_count) as counts
  from (${unionAll(counted)}) as counted
  group by key`;
}

function answerOf(rows: readonly BandRow[], { starts }: Buckets): FrequencyBucket[] {
  const buckets = starts.map((start) => ({
    time: instantOfMicros(BigInt(start) * 1_000_000n),
    point_count: 0,
    counts: new Array<number>(BANDS.length).fill(0),
  }));
  for (const { index, bands, counts } of rows) {
    const bucket = buckets[index];
    for (const [at, band] of bands.entries()) {
      const count = counts[at] ?? 0;
      if (!bucket) continue;
      bucket.point_count += count;
      if (band === GONE) bucket.counts = [];
      else if (band !== null && bucket.counts.length > 0)
        bucket.counts[band] = (bucket.counts[band] ?? 0) + count;
    }
  }
  return buckets;
}
