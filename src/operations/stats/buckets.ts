// The buckets of a result: how times map to them, and the sums of their points.
import { floorTo, type Interval, microsOf, type Range } from '../../contract/instant.ts';
import { cutAt, rangeOf, wholeBuckets, without } from '../../contract/ranges.ts';
import { epochOf, type SQL, sql } from '../../database/drizzle.ts';
import {
  countSum,
  HISTORY_MINUTES,
  rollupsOf,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  type TotalsColumn,
  totalsColumns,
  totalsInArrays,
} from '../../database/rollups.ts';
import { addUp, type Totals, type TotalsRow, totalsOf } from '../../rollups/histogram.ts';
import type { RollupQuery } from '../../rollups/rollup-planner.ts';
import {
  type BucketScan,
  instantValue,
  isAmong,
  isBeside,
  selectsOf,
  unionAll,
  unionOfPoints,
} from '../../rollups/source-scans.ts';

/** The buckets of a result, by index from 0. */
export interface Buckets {
  /** In seconds since 1970, in order. */
  readonly starts: readonly number[];
  /** The length of each, if all are aligned to it as stored buckets are. */
  readonly seconds?: number;
  /** The interval, cut at every time that no stored bucket may span. */
  readonly ranges: readonly Range[];
  /** Whether stored buckets of this many seconds add up to these buckets. */
  isPart(seconds: number): boolean;
  /** A key that the times of one bucket share, to group by. */
  keyOf(time: SQL): SQL;
  /** The index of the bucket with a key. */
  indexOf(key: SQL): SQL;
  /** The index of the bucket that holds a time in seconds since 1970. */
  indexAt(time: number): number;
}

/** The start of the bucket that holds a time: buckets start at multiples of their length since 1970, UTC. */
export function binned(time: SQL, bucketSeconds: number): SQL {
  // in seconds: a day may have 23 hours in the time zone of the session
  return sql`date_bin(${sql.raw(`'${bucketSeconds} s'`)}::interval, ${time}, '1970-01-01T00:00:00Z'::timestamptz)`;
}

/** The starts of the buckets that an interval touches, in seconds since 1970. */
export function startsOf({ from, to }: Interval, bucketSeconds: number): number[] {
  const width = BigInt(bucketSeconds) * 1_000_000n;
  const [starts, end]: [number[], bigint] = [[], microsOf(to)];
  for (let start = floorTo(microsOf(from), width); start < end; start += width)
    starts.push(Number(start / 1_000_000n));
  return starts;
}

/**
 * @param bucketSeconds buckets start at multiples of it since 1970: at midnight UTC for a day
 * @param cuts for buckets that do not, such as days of a time zone: the canonical starts, and the end of the last
 */
export function bucketsOf(interval: Interval, bucketSeconds: number, cuts?: readonly string[]): Buckets {
  if (cuts) return bucketsBetween(interval, cuts);
  const starts = startsOf(interval, bucketSeconds);
  const [first = 0] = starts;
  return {
    starts,
    seconds: bucketSeconds,
    ranges: [rangeOf(interval)],
    isPart: (seconds) => bucketSeconds % seconds === 0,
    keyOf: (time) => binned(time, bucketSeconds),
    indexOf: (key) =>
      sql`((${epochOf(key)} - ${sql.raw(String(first))}) / ${sql.raw(String(bucketSeconds))})::int`,
    indexAt: (time) => Math.floor((time - first) / bucketSeconds),
  };
}

/** One between neighbouring cuts: canonical, in order; the first is not after `from`, the last not before `to`. */
export function bucketsBetween(interval: Interval, cuts: readonly string[]): Buckets {
  const bounds = cuts.map(microsOf);
  const starts = bounds.slice(0, -1).map((bound) => Number(bound / 1_000_000n));
  const list = `{${cuts.join()}}`;
  return {
    starts,
    ranges: cutAt(rangeOf(interval), bounds),
    isPart: () => true,
    keyOf: (time) => sql`width_bucket(${time}, ${list}::timestamptz[])`,
    indexOf: (key) => sql`${key} - 1`,
    indexAt: (time) => starts.findLastIndex((start) => start <= time),
  };
}

/** The lengths of history, in minutes, that add up to these buckets. */
export const lengthsOfHistory = ({ isPart }: Buckets) =>
  HISTORY_MINUTES.filter((minutes) => minutes === 1 || isPart(60 * minutes));

/** An array for each column: as objects, 8,760 hours of a year would repeat the names, which are two thirds of the text. */
type TotalsColumns = { readonly [Name in keyof TotalsRow]?: readonly TotalsRow[Name][] } & {
  readonly index: readonly number[];
  readonly all_points: number;
};

/** {@link totalsColumns} of no points. */
const NOTHING = sql.raw('0, null, null, null, null, 0, 0, null, 0, 0');

/** Of answers that show energy means, but neither `avg_db` nor silence. */
export const UNREAD_FOR_ENERGY: readonly TotalsColumn[] = ['level_sum', 'silence_count'];

/**
 * @param past also counts the minutes (UTC) with points wholly in this range. A minute that a cut divides belongs to
 *   the bucket in which it begins. One that an exclusion touches does not count
 * @param unread columns that the answer does not show: they are 0 or null
 */
export function totalsByBucket(
  buckets: Buckets,
  past?: Range,
  unread: readonly TotalsColumn[] = [],
): RollupQuery<TotalsColumns, Totals[]> {
  const { starts, seconds, isPart, keyOf, indexOf } = buckets;
  return {
    ranges: past ? buckets.ranges.flatMap((range) => cutAt(range, [past.to])) : buckets.ranges,
    usable: rollupsOf('total').filter(({ seconds }) => isPart(seconds)),
    history: lengthsOfHistory(buckets),
    select({ raw, rollups, history }, excluded) {
      const minutes = past
        ? sql`case when bucket < ${instantValue(past.to)} then minute_count else 0 end`
        : sql`0`;
      const columns = totalsColumns(unread);
      const selects = (among: (scan: BucketScan) => boolean) => [
        ...selectsOf(rollups.filter(among), sql`${keyOf(sql`bucket`)}, ${columns}, 0, ${minutes}`),
        ...selectsOf(history.filter(among), sql`${keyOf(sql`bucket`)}, ${columns}, point_count, ${minutes}`),
      ];
      const whole = past && raw.length > 0 ? wholeBuckets(without([past], excluded), 60) : [];
      // offset 0: if the filter seemed to leave few points, the planner would compare each point with each range
      const minutesOfPoints =
        whole.length > 0
          ? [
              sql`
      select ${keyOf(sql`start`)}, ${NOTHING}, 0, 1 from (${unionOfPoints(raw, sql`${binned(sql`time`, 60)} as start`, sql` group by 1`)} offset 0) as minutes
      where ${isAmong(sql`start`, whole)} and ${isBeside(history, sql`start`)}`,
            ]
          : [];
      return sql`
  select array_agg(${indexOf(sql`key`)}) as index, ${totalsInArrays(unread)}, sum(point_count) as all_points
    ${history.length > 0 ? sql`, array_agg(gone_count) as gone_count` : sql``}
    ${past ? sql`, array_agg(minute_count) as minute_count` : sql``}
  from (
    select key, ${TOTALS_OF_TOTALS}, ${countSum('gone_count')}, ${countSum('minute_count')} from (${unionAll([
      unionOfPoints(
        raw,
        sql`${keyOf(sql`time`)} as key, ${TOTALS_OF_POINTS}, 0 as gone_count, 0 as minute_count`,
        sql` group by 1`,
      ),
      ...minutesOfPoints,
      ...selects((scan) => scan.seconds !== seconds),
    ])}) as parts
    group by key
    ${unionAll([sql``, ...selects((scan) => scan.seconds === seconds)])}
  ) as totals having count(*) > 0`;
    },
    answer([columns]) {
      const totals = starts.map(() => addUp([]));
      if (!columns) return totals;
      for (const [at, index] of columns.index.entries()) {
        const part = totalsOf({
          point_count: columns.point_count?.[at] ?? 0,
          level_sum: columns.level_sum?.[at] ?? null,
          min_db: columns.min_db?.[at] ?? null,
          max_db: columns.max_db?.[at] ?? null,
          power_sum: columns.power_sum?.[at] ?? null,
          silence_count: columns.silence_count?.[at] ?? 0,
          level_count: columns.level_count?.[at] ?? 0,
          above_power_sum: columns.above_power_sum?.[at] ?? null,
          under_range: columns.under_range?.[at] ?? 0,
          clipped: columns.clipped?.[at] ?? 0,
          gone_count: columns.gone_count?.[at] ?? 0,
          minute_count: columns.minute_count?.[at] ?? 0,
        });
        const { [index]: others } = totals;
        totals[index] = others?.point_count ? addUp([others, part]) : part;
      }
      return totals;
    },
  };
}
