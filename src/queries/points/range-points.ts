// Reads the points of an interval, page by page.
import type { Interval } from '../../contract/instant.ts';
import { JSON_TYPE, type PageType } from '../../contract/media-types.ts';
import { parameter } from '../../db/compile.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import { cutPage, type Page, pageStatements, readPage, startOf } from '../../points/page.ts';

export const rangeStatements = pageStatements(
  'range_points',
  sql`${audioData.time} >= ${parameter('time')} and ${audioData.time} < ${parameter('to')}`,
  'oldest first',
);

/** At most `limit` points of `[from, to)`, oldest first, from `start` on, as one of the types of pages. */
export async function rangePoints(
  db: Database,
  { from, to }: Interval,
  limit: number,
  start = startOf(from),
  type: PageType = JSON_TYPE,
): Promise<Page> {
  return cutPage(await readPage(db, rangeStatements[type], { to }, start, limit + 1), start, limit, type);
}
