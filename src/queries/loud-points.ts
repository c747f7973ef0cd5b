// The points above a level, newest first, page by page.
import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { parameter } from '../db/statement.ts';
import { type Page, type Position, pageStatement, readPage } from './page.ts';

// The threshold is a real like the column: a level that reads -10.2 is then not above a threshold of -10.2.
const statement = pageStatement(
  sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}
    and ${audioData.time} <= ${parameter('time')} and ${audioData.rms_db} > ${parameter('threshold')}::real`,
  'newest first',
);

/**
 * At most `limit` points of `[from, to)` strictly above `threshold` dB, newest first, from `after` on where
 * it is given. A null bound means none.
 */
export function loudPoints(
  db: Database,
  interval: { from: string | null; to: string | null },
  threshold: number,
  limit: number,
  after?: Position,
): Promise<Page> {
  const from = interval.from ?? '0001-01-01Z';
  const to = interval.to ?? '10000-01-01Z';
  return readPage(
    db,
    statement,
    { from, to, threshold: Math.fround(threshold) },
    after ?? { time: to, skip: 0 },
    limit,
  );
}
