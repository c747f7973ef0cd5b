// Answers the statistics of each bucket of an interval, for a chart.
import { type Interval, instantOfMicros, microsOf, type Range } from '../../contract/instant.ts';
import { ALWAYS_COUNTED_SECONDS, MOST_COUNTED, type SeriesBucket } from '../../contract/series.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { RESOLUTIONS } from '../../db/rollups.ts';
import { exceededLevels, figuresOf, lowestLeq, mostFrequent } from '../../statistics/figures.ts';
import { addCounts, FIRST_FREQUENCY, FIRST_LEVEL } from '../../statistics/histogram.ts';
import { addUp, type Totals } from '../../statistics/totals.ts';
import { binned, epochOf, startsIn, startsOf } from '../../store/bucket-times.ts';
import {
  countsFrom,
  type GivenCounts,
  LEVEL,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  type TotalsRow,
  totalsOf,
} from '../../store/counted-points.ts';
import type { StoredSum } from '../../store/histogram-cache.ts';
import { type Parts, readParts, usableRollups } from '../../store/rollup-planner.ts';
import {
  type Sources,
  selectsOf,
  type UsableRollup,
  unionAll,
  unionOfPoints,
} from '../../store/source-scans.ts';
import type { Store } from '../../store/store.ts';

/** How points and stored buckets belong to the buckets of an answer. */
interface Buckets {
  /** In seconds since 1970, in order. */
  readonly starts: readonly number[];
  /** The start of the bucket that holds a time. */
  startOf(time: SQL): SQL;
  /** The starts of the buckets that some ranges touch. */
  touching(ranges: readonly Range[]): readonly number[];
  /** Of how many points levels are counted; 0 to count none. */
  readonly mostCounted: number;
}

/**
 * @param bucketSeconds buckets start at multiples of it since 1970: at midnight UTC for a day
 * @param most of how many points levels are counted in buckets shorter than half an hour; 0 to count none in any
 * @returns every bucket, from the one that holds `from`. Only the points in `[from, to)` count. A bucket without
 *   points has `point_count` 0 and null for the rest.
 */
export async function series(
  store: Store,
  interval: Interval,
  bucketSeconds: number,
  most = MOST_COUNTED,
): Promise<SeriesBucket[]> {
  const isPart = (seconds: number) => seconds <= bucketSeconds && bucketSeconds % seconds === 0;
  // a stored bucket of the same length is the answer; shorter ones add up to it if they have histograms
  const usable = RESOLUTIONS.flatMap(({ name: resolution, seconds, keys }): UsableRollup[] => {
    if (seconds === bucketSeconds) return [{ resolution, seconds, key: 'total', isCached: false }];
    const isUsed = keys.includes('histogram') && isPart(seconds);
    return isUsed ? [{ resolution, seconds, key: 'histogram', isCached: true }] : [];
  });
  const buckets: Buckets = {
    starts: startsOf(interval, bucketSeconds),
    startOf: (time) => binned(time, bucketSeconds),
    touching: (ranges) => startsIn(ranges, bucketSeconds),
    mostCounted: most === 0 || bucketSeconds < ALWAYS_COUNTED_SECONDS ? most : Number.POSITIVE_INFINITY,
  };
  const parts = await readParts<BucketRow>(store, interval, {
    select: (sources, within) => selectBuckets(sources, within, buckets),
    usable,
    within: most === 0 ? [] : usableRollups('histogram').filter(({ seconds }) => isPart(seconds)),
    groupOf: (start) => Math.floor(start / bucketSeconds) * bucketSeconds,
  });
  return bucketsOf(parts, buckets);
}

/**
 * The same for the hours or the days of a time zone.
 *
 * @param cuts canonical instants in order: where the buckets begin that the interval touches, and where the last ends
 * @param mostCounted 0 to count no levels
 */
export async function localSeries(
  store: Store,
  interval: Interval,
  cuts: readonly string[],
  mostCounted = Number.POSITIVE_INFINITY,
): Promise<SeriesBucket[]> {
  const bounds = cuts.map(microsOf);
  const starts = bounds.slice(0, -1).map((bound) => Number(bound / 1_000_000n));
  const places = sql`${`{${cuts.join()}}`}::timestamptz[]`;
  const buckets: Buckets = {
    starts,
    startOf: (time) => sql`(${places})[width_bucket(${time}, ${places})]`,
    touching: (ranges) => (ranges.length > 0 ? starts : []),
    mostCounted,
  };
  const parts = await readParts<BucketRow>(store, interval, {
    select: (sources, within) => selectBuckets(sources, within, buckets),
    usable: usableRollups('histogram', true).filter(({ seconds }) => isMostlyWhole(seconds, bounds)),
    cuts: bounds,
    groupOf: (time) => lastUpTo(time, starts),
  });
  return bucketsOf(parts, buckets);
}

/** Whether few stored buckets are divided: half hours are of no use to hours that begin at a quarter past. */
function isMostlyWhole(seconds: number, bounds: readonly bigint[]): boolean {
  const [width, length] = [BigInt(seconds) * 1_000_000n, (bounds.at(-1) ?? 0n) - (bounds[0] ?? 0n)];
  return length >= 12n * width * BigInt(bounds.length - 1) || bounds.every((bound) => bound % width === 0n);
}

/** The last of some ascending numbers that is not above another; that itself where there is none. */
function lastUpTo(most: number, ascending: readonly number[]): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? most) <= most) low = middle + 1;
    else high = middle;
  }
  return ascending[low - 1] ?? most;
}

interface BucketRow extends TotalsRow {
  /** In seconds since 1970. */
  readonly start: number;
  /** Of the points that the statement read. */
  readonly dominant_frequency_hz: number | null;
  /** In hertz; null unless cached buckets add to this one. */
  readonly frequencies: GivenCounts;
  /** In tenths of a dB. */
  readonly levels: GivenCounts;
}

/** @returns the select of {@link BucketRow}s, which add up to each bucket */
function selectBuckets({ raw, rollups, cached }: Sources, within: Sources, buckets: Buckets): SQL {
  const time = buckets.startOf(sql`time`);
  const isCounted = buckets.mostCounted > 0;
  const level = isCounted ? LEVEL : sql`null::int`;
  const mixed = buckets.touching(cached.flatMap(({ pieces }) => pieces));
  const whole = selectsOf(rollups, sql`bucket as start, ${TOTALS}, dominant_frequency_hz`);
  const parts = [
    sql`
    select ${epochOf(sql`start`)} as start, ${TOTALS}, dominant_frequency_hz, frequencies, levels
    from totals left join dominant using (start)`,
    ...(whole.length > 0 ? [selectWhole()] : []),
    ...(whole.length > 0 && isCounted ? levelsWithin(within, buckets) : []),
  ];
  return sql`
  with measured as (
    ${unionOfPoints(raw, sql`${time} as start, ${level} as level, ${TOTALS_OF_POINTS}`, sql` group by 1, 2`)}
  ),
  totals as (
    select start, ${TOTALS_OF_TOTALS}, json_build_array(array_agg(level), array_agg(level_count)) as levels
    from measured group by start
  ),
  counted as (
    select start, frequency_hz, sum(point_count)::bigint as point_count
    from (${unionOfPoints(
      raw,
      sql`${time} as start, frequency_hz, count(*) as point_count`,
      sql` and frequency_hz is not null group by 1, 2`,
    )}) as scans
    group by 1, 2
  ),
  dominant as (
    -- the highest count, then the lowest frequency; frequencies are below 8192
    select start, (8191 - max(point_count * 8192 + 8191 - frequency_hz) % 8192)::int as dominant_frequency_hz,
      case when ${epochOf(sql`start`)} = any(${`{${mixed.join()}}`}::bigint[])
        then json_build_array(array_agg(frequency_hz), array_agg(point_count)) end as frequencies
    from counted group by start
  )
  ${whole.length > 0 ? sql`, whole as materialized (${unionAll(whole)})` : sql``}
  ${unionAll(parts)}`;
}

const selectWhole = () => sql`
    select ${epochOf(sql`start`)}, point_count, level_count, level_sum, min_db, max_db, power_sum,
      above_power_sum, silence_count, dominant_frequency_hz, null::json, null::json
    from whole`;

/** The columns of a {@link BucketRow} that adds nothing but levels. */
const NO_TOTALS = sql.raw('0, 0, null, null, null, null, null, 0, null, null::json');

/**
 * The levels of the buckets of totals, which have none. Arrays are sent as they are stored: to add up a month of half
 * hours in SQL takes several times as long.
 */
function levelsWithin({ raw, rollups }: Sources, { startOf, mostCounted }: Buckets): SQL[] {
  const isFew = Number.isFinite(mostCounted)
    ? sql` and (select sum(point_count) from whole) <= ${sql.raw(String(mostCounted))}`
    : sql``;
  const counted = unionOfPoints(
    raw,
    sql`${startOf(sql`time`)} as start, ${LEVEL} as level, count(*) as level_count`,
    sql` and rms_db is not null${isFew} group by 1, 2`,
  );
  return [
    sql`
    select ${epochOf(sql`start`)}, ${NO_TOTALS}, json_build_array(array_agg(level), array_agg(level_count))
    from (${counted}) as counted group by start`,
    ...selectsOf(rollups, sql`${epochOf(startOf(sql`bucket`))}, ${NO_TOTALS}, to_json(levels::text)`),
  ];
}

function bucketsOf({ rows, stored }: Parts<BucketRow>, { starts, mostCounted }: Buckets): SeriesBucket[] {
  const groups = new Map<number, { rows: BucketRow[]; stored: StoredSum[] }>();
  for (const start of starts) groups.set(start, { rows: [], stored: [] });
  for (const row of rows) groups.get(row.start)?.rows.push(row);
  for (const sum of stored) groups.get(sum.group)?.stored.push(sum);
  const buckets = [...groups].map(([start, { rows, stored }]) => {
    const totals = addUp([...rows.map(totalsOf), ...stored]);
    return { start, rows, stored, totals };
  });
  const pointCount = buckets.reduce((sum, { totals }) => sum + totals.point_count, 0);
  return buckets.map(({ start, rows, stored, totals }) => ({
    time: instantOfMicros(BigInt(start) * 1_000_000n),
    ...figuresOf(totals),
    ...(pointCount > mostCounted || mostCounted === 0 ? NOT_COUNTED : levelFigures(rows, stored, totals)),
    dominant_frequency_hz: dominantFrequency(rows, stored),
  }));
}

type LevelFigures = Pick<SeriesBucket, 'leq_low_db' | 'l10_db' | 'l50_db' | 'l90_db'>;

const NOT_COUNTED: LevelFigures = { leq_low_db: null, l10_db: null, l50_db: null, l90_db: null };

function levelFigures(
  rows: readonly BucketRow[],
  stored: readonly StoredSum[],
  totals: Totals,
): LevelFigures {
  const levels = addCounts([
    ...stored.map(({ levels }) => levels),
    ...rows.map(({ levels }) => countsFrom(FIRST_LEVEL, levels)),
  ]);
  const exceeded = exceededLevels(levels);
  return {
    leq_low_db: lowestLeq(totals),
    l10_db: exceeded(10),
    l50_db: exceeded(50),
    l90_db: exceeded(90),
  };
}

function dominantFrequency(rows: readonly BucketRow[], stored: readonly StoredSum[]): number | null {
  if (stored.length === 0)
    return rows.find(({ point_count }) => point_count > 0)?.dominant_frequency_hz ?? null;
  const counted = rows.flatMap(({ frequencies }) =>
    frequencies ? [countsFrom(FIRST_FREQUENCY, frequencies)] : [],
  );
  return mostFrequent(addCounts([...stored.map(({ frequencies }) => frequencies), ...counted]));
}
