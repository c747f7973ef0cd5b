// The points of an interval, page by page.
import { sql } from 'drizzle-orm';
import { parameter } from '../db/compile.ts';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { type Page, type Position, pageStatement, readPage, startOf } from '../points/page.ts';

const statement = pageStatement(
  'range_points',
  sql`${audioData.time} >= ${parameter('time')} and ${audioData.time} < ${parameter('to')}`,
  'oldest first',
);

/** At most `limit` points of `[from, to)`, oldest first, from `after` on where it is given. */
export function rangePoints(
  db: Database,
  interval: { from: string; to: string },
  limit: number,
  after?: Position,
): Promise<Page> {
  return readPage(db, statement, { to: interval.to }, after ?? startOf(interval.from), limit);
}
