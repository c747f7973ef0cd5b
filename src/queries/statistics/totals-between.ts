// Adds up the points between each two instants of a list: of days, evenings and nights.
import { type SQL, sql } from 'drizzle-orm';
import { type Interval, microsOf } from '../../contract/instant.ts';
import { addUp, type Totals } from '../../statistics/totals.ts';
import {
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  type TotalsRow,
  totalsOf,
} from '../../store/counted-points.ts';
import { readParts, usableRollups } from '../../store/rollup-planner.ts';
import {
  type Sources,
  selectsOf,
  type UsableRollup,
  unionAll,
  unionOfPoints,
} from '../../store/source-scans.ts';
import type { Store } from '../../store/store.ts';

/**
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @returns the totals of the points of `[from, to)` between each two cuts
 */
export async function totalsBetween(
  store: Store,
  interval: Interval,
  cuts: readonly string[],
): Promise<Totals[]> {
  const { rows } = await readParts<PlacedTotals>(store, interval, {
    select: (sources) => selectTotals(sources, cuts),
    usable: usableBetween(cuts),
  });
  const totals = cuts.slice(1).map((): Totals[] => []);
  for (const { place, ...row } of rows) totals[place - 1]?.push(totalsOf(row));
  return totals.map(addUp);
}

interface PlacedTotals extends TotalsRow {
  /** Between which cuts: 1 is between the first and the second. */
  readonly place: number;
}

/** The rollups whose buckets no cut divides, longest first. */
function usableBetween(cuts: readonly string[]): UsableRollup[] {
  const fits = ({ seconds }: { seconds: number }) =>
    cuts.every((cut) => microsOf(cut) % (BigInt(seconds) * 1_000_000n) === 0n);
  return usableRollups('total').filter((rollup) => USED_SECONDS.includes(rollup.seconds) && fits(rollup));
}

/** Hours, quarters of an hour for the zones that have them, and minutes: another length costs more than it saves. */
const USED_SECONDS = [3600, 900, 60];

function selectTotals(sources: Sources, cuts: readonly string[]): SQL {
  const places = (time: SQL) => sql`width_bucket(${time}, ${`{${cuts.join()}}`}::timestamptz[])`;
  const scans = [
    unionOfPoints(sources.raw, sql`${places(sql`time`)} as place, ${TOTALS_OF_POINTS}`, sql` group by 1`),
    ...selectsOf(sources.rollups, sql`${places(sql`bucket`)}, ${TOTALS_OF_TOTALS}`, sql` group by 1`),
  ];
  return sql`select place, ${TOTALS} from (${unionAll(scans)}) as totals`;
}
