// Reads the points of an interval, page by page.
import type { Interval } from '../../../contract/instant.ts';
import type { Database } from '../../../database/database.ts';
import { parameter, sql } from '../../../database/drizzle.ts';
import { audioData } from '../../../database/schema.ts';
import { cutPage, type Page, pageStatements, readPage, startOf } from '../../../points/page.ts';
import { wholeOf } from '../../../points/points.ts';

export const rangeStatements = pageStatements(
  'range_points',
  sql`${audioData.time} >= ${parameter('time')} and ${audioData.time} < ${parameter('whole_to')}`,
  'oldest first',
);

/** At most `limit` points of `[from, to)`, oldest first, starting at `start`. @param offset_db added to each level */
export async function rangePoints(
  db: Database,
  interval: Interval,
  limit: number,
  start = startOf(interval.from),
  offset_db = 0,
): Promise<Page> {
  const read = await readPage(db, rangeStatements, wholeOf(interval), start, limit + 1, offset_db);
  return cutPage(read, start, limit);
}
