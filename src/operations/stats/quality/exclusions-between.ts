// Reads the exclusions that touch an interval, with their reasons.
import { type ListedExclusion, MOST_LISTED } from '../../../contract/exclusions.ts';
import type { Interval } from '../../../contract/instant.ts';
import { compile, parameter } from '../../../database/compile.ts';
import { sql } from '../../../database/drizzle.ts';
import { tables } from '../../../database/schema.ts';
import { instantText } from '../../../database/statement-values.ts';
import { annotationsOf, type Store } from '../../../rollups/store.ts';
import type { QualityOutput } from './contract.ts';

const newest = sql`select *, count(*) over () as total from ${tables.exclusions}
  where until > ${parameter('from')}::timestamptz and since < ${parameter('to')}::timestamptz
  order by since desc, until desc, id desc limit ${sql.raw(String(MOST_LISTED))}`;
const statement = compile(
  sql`select ${instantText(sql`since`)} as from, ${instantText(sql`until`)} as to, reason, made_by as by,
      total::float8
    from (${newest}) as listed order by since, until, id`,
  'exclusions_between',
);

/**
 * Reads nothing if no exclusion is known.
 *
 * @returns the newest {@link MOST_LISTED} exclusions, oldest first, uncut even if they extend beyond the interval
 */
export async function exclusionsBetween(
  store: Store,
  { from, to }: Interval,
): Promise<Pick<QualityOutput, 'exclusion_count' | 'exclusions'>> {
  if (annotationsOf(store).exclusions.length === 0) return { exclusion_count: 0, exclusions: [] };
  const rows = await store.db.query<ListedExclusion & { total: number }>(statement, { from, to });
  return {
    exclusion_count: rows[0]?.total ?? 0,
    exclusions: rows.map(({ total: _, ...exclusion }) => exclusion),
  };
}
