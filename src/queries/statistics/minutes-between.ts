// Counts the minutes that have points between each two instants of a list: how much was measured.
import { floorTo, microsOf, type Range } from '../../contract/instant.ts';
import { wholeBuckets } from '../../contract/ranges.ts';
import { sql } from '../../db/drizzle.ts';
import { rollupsOf } from '../../db/rollups.ts';
import type { Question } from '../../store/rollup-planner.ts';
import { selectsOf, unionAll, unionOfPoints } from '../../store/source-scans.ts';
import { binned } from './buckets.ts';

const MINUTE = 60_000_000n;

/** Minutes between two instants: how many there are, and how many of them hold a point. */
export interface Minutes {
  readonly minutes: number;
  readonly measured: number;
}

/**
 * @param range in microseconds since 1970
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @returns the minutes (UTC) that lie wholly in the range, between each two cuts; a minute that a cut divides belongs
 *   to the stretch in which it begins
 */
export function minutesBetween(range: Range, cuts: readonly string[]): Question<Measured, Minutes[]> {
  const [from, to] = [ceilToMinute(range.from), floorTo(range.to, MINUTE)];
  const between = (place: number) => {
    const [start, end] = [cuts[place], cuts[place + 1]].map((cut) => {
      const time = microsOf(cut ?? '');
      return ceilToMinute(time < from ? from : time > to ? to : time);
    });
    return Number(((end ?? 0n) - (start ?? 0n)) / MINUTE);
  };
  const places = sql`${`{${cuts.join()}}`}::timestamptz[]`;
  const minute = binned(sql`time`, 60);
  return {
    ranges: wholeBuckets([range], 60),
    usable: rollupsOf('presence'),
    select: ({ raw, rollups }) => sql`
  select width_bucket(minute, ${places}) as place, count(*) as measured
  from (${unionAll([
    unionOfPoints(raw, sql`${minute} as minute`, sql` group by 1`),
    ...selectsOf(rollups, sql`bucket`),
  ])}) as minutes
  group by 1`,
    answer: (rows) => {
      const found = new Map(rows.map(({ place, measured }) => [place, measured]));
      return cuts.slice(1).map((_, place) => ({
        minutes: from < to ? between(place) : 0,
        measured: found.get(place + 1) ?? 0,
      }));
    },
  };
}

interface Measured {
  /** Between which cuts: 1 is between the first and the second. */
  readonly place: number;
  readonly measured: number;
}

const ceilToMinute = (micros: bigint) => -floorTo(-micros, MINUTE);
