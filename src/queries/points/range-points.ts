// Reads the points of an interval, page by page.
import type { Interval } from '../../contract/instant.ts';
import { parameter } from '../../db/compile.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import { cutPage, type Page, pageStatement, readRows, startOf } from '../../points/page.ts';

const statement = pageStatement(
  'range_points',
  sql`${audioData.time} >= ${parameter('time')} and ${audioData.time} < ${parameter('to')}`,
  'oldest first',
);

/** At most `limit` points of `[from, to)`, oldest first, from `start` on. */
export async function rangePoints(
  db: Database,
  { from, to }: Interval,
  limit: number,
  start = startOf(from),
): Promise<Page> {
  return cutPage(await readRows(db, statement, { to }, start, limit + 1), start, limit);
}
