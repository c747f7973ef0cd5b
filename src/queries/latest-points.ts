// The most recent points.
import { desc, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import { readBack } from '../points/newest.ts';
import { type Lines, lineFields, linesOf, readLines } from '../points/select.ts';

const statement = compile(
  linesOf(
    new QueryBuilder()
      .select(lineFields)
      .from(audioData)
      .where(sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}`)
      .orderBy(desc(audioData.time))
      .limit(parameter('limit')),
  ),
  'latest_points',
);

/**
 * At most `limit` points, newest first; fewer when the table holds fewer, none when it is empty.
 *
 * @param now the clock of the request: where to look first, which changes nothing in the answer
 */
export function latestPoints(db: Database, { limit }: { limit: number }, now: string): Promise<Lines> {
  return readBack(db, { from: null, to: null }, now, limit, (interval) =>
    readLines(db, statement, { ...interval, limit }),
  );
}
