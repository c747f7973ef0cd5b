// Computes the statistics of each bucket of an interval, for a chart.
import { type Interval, instantOf, type Range } from '../../../contract/instant.ts';
import { sql } from '../../../database/drizzle.ts';
import { LEVEL, type Rollup, rollupsOf } from '../../../database/rollups.ts';
import { exceededLevels, figuresOf, lowestLeq, mostFrequent } from '../../../rollups/figures.ts';
import {
  addCounts,
  addUp,
  type Counts,
  countsFrom,
  FIRST_FREQUENCY,
  FIRST_LEVEL,
  type GivenCounts,
} from '../../../rollups/histogram.ts';
import type { StoredBucket } from '../../../rollups/histogram-cache.ts';
import { answerAll, nothingToRead, type RollupQuery } from '../../../rollups/rollup-planner.ts';
import { selectsOf, unionAll, unionOfPoints } from '../../../rollups/source-scans.ts';
import type { Store } from '../../../rollups/store.ts';
import { type Buckets, bucketsOf, totalsByBucket } from '../buckets.ts';
import { ALWAYS_COUNTED_SECONDS, BUCKET_SECONDS, MOST_COUNTED, type SeriesBucket } from './contract.ts';

/**
 * @param most in buckets under half an hour, counts levels only up to this many points; 0 to count no levels
 * @param cuts as in {@link bucketsOf}
 * @returns every bucket, starting with the one that holds `from`. Only the points in `[from, to)` count. A bucket
 *   without points has `point_count` 0 and null for the rest.
 */
export async function series(
  store: Store,
  interval: Interval,
  bucketSeconds: number,
  most = MOST_COUNTED,
  cuts?: readonly string[],
): Promise<SeriesBucket[]> {
  const buckets = bucketsOf(interval, bucketSeconds, cuts);
  const isLimited = most === 0 || bucketSeconds < ALWAYS_COUNTED_SECONDS;
  const mostCounted = isLimited ? most : Number.POSITIVE_INFINITY;
  // a stored bucket of the same length already holds the most frequent frequency
  const same = rollupsOf('total').filter(({ seconds }) => !cuts && seconds === bucketSeconds);
  const usable = [...same, ...histogramsFor(buckets)];
  // ten years have 3,653 histograms of days, which take seconds to add up
  const isLong = mostCounted === 0 && bucketSeconds > BUCKET_SECONDS['1d'];
  const dominant = isLong ? nothingToRead([]) : dominantFrequencies(buckets, usable);
  const unread = mostCounted === 0 ? (['above_power_sum'] as const) : [];
  const totals = totalsByBucket(buckets, undefined, ['under_range', 'clipped', ...unread]);
  const [sums, frequencies, levels] =
    mostCounted === 0
      ? [...(await answerAll(store, [totals, dominant])), []]
      : await answerAll(store, [totals, dominant, countedLevels(buckets, mostCounted)]);
  const pointCount = sums.reduce((all, { point_count }) => all + point_count, 0);
  const isCounted = mostCounted > 0 && pointCount <= mostCounted;
  return buckets.starts.map((start, index) => {
    const total = sums[index] ?? addUp([]);
    const isKnown = total.gone_count === 0;
    const exceeded = exceededLevels(isCounted && isKnown ? (levels[index] ?? NONE) : NONE);
    // by name: to spread them after `time` takes longer, and JSON.stringify too
    const { point_count, avg_db, max_db, min_db, leq_db, silence_percent } = figuresOf(total);
    return {
      time: instantOf(start * 1000),
      point_count,
      avg_db,
      max_db,
      min_db,
      leq_db,
      silence_percent,
      leq_low_db: isCounted ? lowestLeq(total) : null,
      l10_db: exceeded(10),
      l50_db: exceeded(50),
      l90_db: exceeded(90),
      dominant_frequency_hz: isKnown ? (frequencies[index] ?? null) : null,
    };
  });
}

const histogramsFor = ({ isPart }: Buckets): Rollup[] =>
  rollupsOf('histogram').filter(({ seconds }) => isPart(seconds));

const NONE = new Uint32Array();

/** An array for each column, as in TotalsColumns. */
interface FrequencyColumns {
  readonly index: readonly number[] | null;
  /** The most frequent among the points that the statement read. */
  readonly dominant: readonly (number | null)[] | null;
  /** By index, in hertz: of the buckets to which stored buckets add. */
  readonly counted: Readonly<Record<number, GivenCounts>> | null;
}

/** The most frequent frequency of each bucket, the lowest if tied; null if no point has one. */
function dominantFrequencies(
  { starts, ranges, keyOf, indexOf, indexAt }: Buckets,
  usable: readonly Rollup[],
): RollupQuery<FrequencyColumns, (number | null)[]> {
  const indexesIn = ({ from, to }: Range) => {
    const [first, last] = [from, to - 1n].map((time) => indexAt(Number(time / 1_000_000n)));
    return starts.flatMap((_, index) => (index >= (first ?? 0) && index <= (last ?? 0) ? [index] : []));
  };
  return {
    ranges,
    usable,
    isStored: true,
    select: ({ raw, rollups, storedRanges }) => sql`
  select array_agg(index) as index, array_agg(dominant) as dominant,
    json_object_agg(index, frequencies) filter (where frequencies is not null) as counted from (select index,
    -- the highest count, then the lowest frequency; frequencies are below 8192
    (8191 - max(point_count * 8192 + 8191 - frequency_hz) % 8192)::int as dominant,
    case when index = any(${`{${storedRanges.flatMap(indexesIn).join()}}`}::int[])
      then json_build_array(array_agg(frequency_hz), array_agg(point_count)) end as frequencies
  from (
    select ${indexOf(sql`key`)} as index, frequency_hz, count(*) as point_count
    from (${unionOfPoints(raw, sql`${keyOf(sql`time`)} as key, frequency_hz`, sql` and frequency_hz is not null`)}) as points
    group by key, frequency_hz
  ) as counted
  group by index
  ${unionAll([sql``, ...selectsOf(rollups, sql`${indexOf(keyOf(sql`bucket`))}, dominant_frequency_hz, null::json`)])}) as found`,
    async answer([columns], stored) {
      const { index: indexes, dominant, counted } = columns ?? {};
      const found = new Map(indexes?.map((each, at) => [each, dominant?.[at] ?? null]));
      for await (const [index, counts] of summed(stored.buckets(), indexAt)) {
        const others = countsFrom(FIRST_FREQUENCY, counted?.[index] ?? null);
        found.set(index, mostFrequent(addCounts([counts, others])));
      }
      return starts.map((_, index) => found.get(index) ?? null);
    },
  };
}

/** The frequencies of stored buckets, summed for each index, one after the other. */
async function* summed(stored: AsyncIterable<readonly StoredBucket[]>, indexAt: Buckets['indexAt']) {
  let sum: [index: number, Counts] | undefined;
  for await (const some of stored)
    for (const [index, group] of Map.groupBy(some, ({ start }) => indexAt(start))) {
      const counts = group.map(({ frequencies }) => frequencies);
      if (sum && sum[0] !== index) yield sum;
      sum = [index, addCounts(sum?.[0] === index ? [sum[1], ...counts] : counts)];
    }
  if (sum) yield sum;
}

/** The number of points per level in each bucket. Sends stored arrays unchanged: adding them in SQL takes longer. */
function countedLevels(
  buckets: Buckets,
  mostCounted: number,
): RollupQuery<{ index: number; levels: GivenCounts }, Counts[]> {
  const { starts, ranges, keyOf, indexOf } = buckets;
  // the first query of the statement counts the points
  const isFew = Number.isFinite(mostCounted)
    ? sql` and (select all_points from part_0) <= ${sql.raw(String(mostCounted))}`
    : sql``;
  return {
    ranges,
    usable: histogramsFor(buckets),
    select: ({ raw, rollups }) => sql`
  select ${indexOf(sql`key`)} as index, json_build_array(array_agg(level), array_agg(level_count)) as levels
  from (${unionOfPoints(
    raw,
    sql`${keyOf(sql`time`)} as key, ${LEVEL} as level, count(*) as level_count`,
    sql` and rms_db is not null${isFew} group by 1, 2`,
  )}) as counted group by key
  ${unionAll([sql``, ...selectsOf(rollups, sql`${indexOf(keyOf(sql`bucket`))}, to_json(levels::text)`)])}`,
    answer(rows) {
      const counts = new Map<number, Counts>();
      for (const { index, levels } of rows)
        counts.set(index, addCounts([counts.get(index) ?? NONE, countsFrom(FIRST_LEVEL, levels)]));
      return starts.map((_, index) => counts.get(index) ?? NONE);
    },
  };
}
