// Counts the overloaded windows between neighbouring instants of a list.
import {
  ceilTo,
  floorTo,
  type Interval,
  instantOfMicros,
  LAST_MICROS,
  microsOf,
  type Range,
} from '../../contract/instant.ts';
import { cutAt, earlier, later, union, wholeBuckets, within, without } from '../../contract/ranges.ts';
import { instantText, type SQL, sql } from '../../database/drizzle.ts';
import { HISTORY_MINUTES, rollupsOf } from '../../database/rollups.ts';
import { tables } from '../../database/schema.ts';
import type { Overload } from '../../rollups/overload.ts';
import { answer, nothingToRead, type RollupQuery } from '../../rollups/rollup-planner.ts';
import {
  instantValue,
  type Sources,
  selectsOf,
  timestamps,
  unionAll,
  unionOfPoints,
} from '../../rollups/source-scans.ts';
import { annotationsOf, type Store } from '../../rollups/store.ts';

const MINUTE = 60_000_000n;
const ceilToMinute = (micros: bigint) => earlier(ceilTo(micros, MINUTE), LAST_MICROS);

/** Whether an interval's minutes have overload; undefined if no recorder counted it, by the periods known so far. */
export function anyOverload(
  store: Store,
  { from, to }: Interval,
): RollupQuery<{ found: boolean }, boolean | undefined> {
  const isCounted = countingPeriods(store).some((period) => period.from < to && period.to > from);
  if (!isCounted) return nothingToRead(undefined);
  const [since, until] = [floorTo(microsOf(from), MINUTE), ceilToMinute(microsOf(to))];
  return {
    ...nothingToRead(undefined),
    select: () => sql`
  select exists (
    select from ${tables.overload} where minute >= ${instantValue(since)} and minute < ${instantValue(until)}) as found`,
    answer: ([row]) => row?.found,
  };
}

/**
 * A minute that a cut divides belongs to the stretch in which it begins, with all its points. The minute in which the
 * interval begins belongs to the first stretch. A minute that an exclusion touches does not count.
 *
 * @param isAny the answer of {@link anyOverload}: points are counted only if there may be overload
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @param counts the points of `[from, to)` between neighbouring cuts
 */
export async function overloadBetween(
  store: Store,
  isAny: boolean | undefined,
  { from, to }: Interval,
  cuts: readonly string[],
  counts: readonly number[],
): Promise<Overload[]> {
  const ends = cuts.map((cut) => later(from, earlier(cut, to)));
  const counting = countingPeriods(store);
  const stretches = counts.map((point_count, at): Overload => {
    const [start = '', end = ''] = ends.slice(at, at + 2);
    const isCounted = counting.some((period) => period.from < end && period.to > start);
    return { isCounted, point_count, overloaded: 0, points: 0, first: null };
  });
  if (isAny === false || !stretches.some(({ isCounted }) => isCounted)) return stretches;
  const minutes = ends.map((end) =>
    end === from ? floorTo(microsOf(end), MINUTE) : ceilToMinute(microsOf(end)),
  );
  const found = await answer(store, overloadByStretch(minutes, counting));
  return stretches.map((stretch, at) => ({ ...stretch, ...found.get(at + 1) }));
}

function countingPeriods(store: Store): Interval[] {
  const { periods } = annotationsOf(store);
  return periods.flatMap(({ since, counts_overload }, at) =>
    counts_overload ? [{ from: since, to: periods[at + 1]?.since ?? instantOfMicros(LAST_MICROS) }] : [],
  );
}

interface StretchCounts {
  /** The number of the stretch: 1 lies between the first and the second cut. */
  readonly index: number;
  readonly points: number;
  readonly overloaded: number;
  readonly first: string | null;
}

/** @param minutes the cuts, whole minutes in microseconds since 1970 */
function overloadByStretch(
  minutes: readonly bigint[],
  counting: readonly Interval[],
): RollupQuery<StretchCounts, ReadonlyMap<number, Omit<StretchCounts, 'index'>>> {
  const [from = 0n, to = 0n] = [minutes[0], minutes.at(-1)];
  const touched = counting.map((period) => ({
    from: floorTo(microsOf(period.from), MINUTE),
    to: ceilToMinute(microsOf(period.to)),
  }));
  const ranges = within(union(touched), { from, to }).flatMap((range) => cutAt(range, minutes));
  const indexOf = (time: SQL) => sql`width_bucket(${time}, ${timestamps(minutes)})`;
  const overloadedIn = (some: readonly Range[], overloaded = sql`overloaded`) => sql`
      select ${indexOf(sql`minute`)}, 0, ${overloaded}, minute
      from unnest(${timestamps(some.map((range) => range.from))}, ${timestamps(some.map((range) => range.to))})
        as range (since, until) join ${tables.overload} on minute >= since and minute < until`;
  return {
    ranges,
    wholeSeconds: 60,
    usable: rollupsOf('total'),
    history: HISTORY_MINUTES,
    select: ({ raw, rollups, history }: Sources, excluded) => {
      const whole = wholeBuckets(without(ranges, excluded), 60);
      const cut = without(without(ranges, wholeBuckets(excluded, 60)), whole);
      return sql`
  select index, sum(points) as points, sum(overloaded) as overloaded, ${instantText(sql`min(minute)`)} as first
  from (${unionAll([
    unionOfPoints(
      raw,
      sql`${indexOf(sql`time`)} as index, count(*) as points, 0 as overloaded, null::timestamptz as minute`,
      sql` group by 1`,
    ),
    ...selectsOf([...rollups, ...history], sql`${indexOf(sql`bucket`)}, point_count, 0, null`),
    overloadedIn(whole),
    overloadedIn(cut, sql`0`),
  ])}) as parts
  group by 1`;
    },
    answer: (rows) => new Map(rows.map(({ index, ...found }) => [index, found])),
  };
}
