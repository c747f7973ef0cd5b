// Adds up the points of each bucket of a list.
import { sql } from '../../database/drizzle.ts';
import {
  rollupsOf,
  TOTALS,
  TOTALS_COLUMNS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
} from '../../database/rollups.ts';
import { addUp, type Totals, type TotalsRow, totalsOf } from '../../rollups/histogram.ts';
import type { RollupQuery } from '../../rollups/rollup-planner.ts';
import { selectsOf, unionAll, unionOfPoints } from '../../rollups/source-scans.ts';
import type { Buckets } from './buckets.ts';

interface BucketTotals extends TotalsRow {
  readonly index: number;
}

/** The totals of each bucket, in order. */
export function totalsByBucket(buckets: Buckets): RollupQuery<BucketTotals, Totals[]> {
  const { starts, ranges, isPart, keyOf, indexOf } = buckets;
  return {
    ranges,
    usable: rollupsOf('total').filter(({ seconds }) => isPart(seconds)),
    select: ({ raw, rollups }) => sql`
  select ${indexOf(sql`key`)} as index, ${TOTALS} from (
    select key, ${TOTALS_OF_TOTALS} from (${unionAll([
      unionOfPoints(raw, sql`${keyOf(sql`time`)} as key, ${TOTALS_OF_POINTS}`, sql` group by 1`),
      ...selectsOf(rollups, sql`${keyOf(sql`bucket`)}, ${TOTALS_COLUMNS}`),
    ])}) as parts
    group by key
  ) as totals`,
    answer: (rows) => {
      const totals = starts.map(() => addUp([]));
      for (const row of rows) totals[row.index] = totalsOf(row);
      return totals;
    },
  };
}
