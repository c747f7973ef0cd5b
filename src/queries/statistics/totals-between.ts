// Adds up the points between each two instants of a list: of days, evenings and nights.
import { type Interval, microsOf } from '../../contract/instant.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { addUpBounded, type BoundedTotals } from '../../statistics/totals.ts';
import {
  BOUNDS_OF_HISTOGRAMS,
  BOUNDS_OF_POINTS,
  type BoundedRow,
  boundedTotalsOf,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
} from '../../store/counted-points.ts';
import { type Question, usableRollups } from '../../store/rollup-planner.ts';
import { type Sources, selectsOf, unionAll, unionOfPoints } from '../../store/source-scans.ts';

/**
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @returns the totals of the points of `[from, to)` between each two cuts
 */
export function totalsBetween(
  interval: Interval,
  cuts: readonly string[],
): Question<PlacedTotals, BoundedTotals[]> {
  return {
    query: {
      interval,
      select: (sources) => selectTotals(sources, cuts),
      usable: USABLE,
      cuts: cuts.map(microsOf),
    },
    answer: ({ rows }) => {
      const totals = cuts.slice(1).map((): BoundedTotals[] => []);
      for (const { place, ...row } of rows) totals[place - 1]?.push(boundedTotalsOf(row));
      return totals.map(addUpBounded);
    },
  };
}

/** Days of UTC are no parts of local days. */
const USABLE = usableRollups('histogram').filter(({ resolution }) => resolution !== '1d');

interface PlacedTotals extends BoundedRow {
  /** Between which cuts: 1 is between the first and the second. */
  readonly place: number;
}

function selectTotals(sources: Sources, cuts: readonly string[]): SQL {
  const places = (time: SQL) => sql`width_bucket(${time}, ${`{${cuts.join()}}`}::timestamptz[])`;
  const scans = [
    unionOfPoints(
      sources.raw,
      sql`${places(sql`time`)} as place, ${TOTALS_OF_POINTS}, ${BOUNDS_OF_POINTS}`,
      sql` group by 1`,
    ),
    ...selectsOf(
      sources.rollups,
      sql`${places(sql`bucket`)}, ${TOTALS_OF_TOTALS}, ${BOUNDS_OF_HISTOGRAMS}`,
      sql` group by 1`,
    ),
  ];
  return sql`select place, ${TOTALS}, under_range, clipped from (${unionAll(scans)}) as totals`;
}
