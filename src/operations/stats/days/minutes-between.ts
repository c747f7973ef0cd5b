// Counts the minutes with points between neighbouring instants of a list, to show how much was measured.
import { ceilTo, floorTo, microsOf, type Range } from '../../../contract/instant.ts';
import { earlier, later } from '../../../contract/ranges.ts';
import { sql } from '../../../database/drizzle.ts';
import { HISTORY_MINUTES, rollupsOf } from '../../../database/rollups.ts';
import type { RollupQuery } from '../../../rollups/rollup-planner.ts';
import { isBeside, selectsOf, unionAll, unionOfPoints } from '../../../rollups/source-scans.ts';
import { binned } from '../buckets.ts';

const MINUTE = 60_000_000n;

/** Minutes between two instants: how many there are, how many lie in the range, and how many of these are measured. */
export interface Minutes {
  readonly nominal: number;
  readonly minutes: number;
  readonly measured: number;
}

/**
 * @param range in microseconds since 1970
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @param isSparse the stretches in which no minutes with points are counted
 * @returns the counts of the minutes (UTC) wholly in the range, for each stretch. A minute that a cut divides belongs
 *   to the stretch in which it begins. A minute that an exclusion touches is not measured
 */
export function minutesBetween(
  range: Range,
  cuts: readonly string[],
  isSparse: readonly boolean[] = [],
): RollupQuery<Measured, Minutes[]> {
  const [from, to] = [ceilTo(range.from, MINUTE), floorTo(range.to, MINUTE)];
  const starts = cuts.map((cut) => ceilTo(microsOf(cut), MINUTE));
  const cutStarts = starts.map((time) => later(from, earlier(time, to)));
  const between = ([start = 0n, end = 0n]: readonly bigint[]) => Number((end - start) / MINUTE);
  return {
    ranges: cuts.slice(1).flatMap((_, at) => {
      const [start = from, end = start] = cutStarts.slice(at, at + 2);
      return isSparse[at] || start >= end ? [] : [{ from: start, to: end }];
    }),
    wholeSeconds: 60,
    usable: rollupsOf('total'),
    history: HISTORY_MINUTES,
    select: ({ raw, rollups, history }) => sql`
  select width_bucket(start, ${`{${cuts.join()}}`}::timestamptz[]) as index, sum(minute_count) as measured
  from (${unionAll([
    sql`select start, 1 as minute_count from (${unionOfPoints(raw, sql`${binned(sql`time`, 60)} as start`, sql` group by 1`)}) as minutes
      where ${isBeside(history, sql`start`)}`,
    ...selectsOf([...rollups, ...history], sql`bucket, minute_count`),
  ])}) as minutes
  group by 1`,
    answer: (rows) => {
      const found = new Map(rows.map(({ index, measured }) => [index, measured]));
      return cuts.slice(1).map((_, index) => ({
        nominal: between(starts.slice(index, index + 2)),
        minutes: from < to ? between(cutStarts.slice(index, index + 2)) : 0,
        measured: found.get(index + 1) ?? 0,
      }));
    },
  };
}

interface Measured {
  /** The number of the stretch: 1 lies between the first and the second cut. */
  readonly index: number;
  readonly measured: number;
}
