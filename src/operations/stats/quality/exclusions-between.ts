// Reads the exclusions that touch an interval, with their reasons.
import { MOST_LISTED } from '../../../contract/exclusions.ts';
import type { Interval } from '../../../contract/instant.ts';
import { and, desc, gt, lt, sql, withBuilder } from '../../../database/drizzle.ts';
import { exclusionColumns } from '../../../database/exclusions.ts';
import { tables } from '../../../database/schema.ts';
import { annotationsOf, type Store } from '../../../rollups/store.ts';
import type { QualityOutput } from './contract.ts';

const { exclusions } = tables;
const { id, since, until } = exclusions;
const total = sql<number>`(count(*) over ())::int`.as('total');

/** @returns the newest {@link MOST_LISTED} exclusions, oldest first, uncut even if they extend beyond the interval */
export async function exclusionsBetween(
  store: Store,
  { from, to }: Interval,
): Promise<Pick<QualityOutput, 'exclusion_count' | 'exclusions'>> {
  if (annotationsOf(store).exclusions.length === 0) return { exclusion_count: 0, exclusions: [] };
  const rows = await withBuilder(store.db, (builder) =>
    builder
      .select({ ...exclusionColumns, total })
      .from(exclusions)
      .where(and(gt(until, from), lt(since, to)))
      .orderBy(desc(since), desc(until), desc(id))
      .limit(MOST_LISTED),
  );
  return {
    exclusion_count: rows[0]?.total ?? 0,
    exclusions: rows.reverse().map(({ total: _, ...exclusion }) => exclusion),
  };
}
