// Reads the most recent points.
import { desc, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import { compile, parameter } from '../../db/compile.ts';
import { audioData } from '../../db/schema.ts';
import { type Points, pointFields, readPoints } from '../../points/points.ts';
import { readNewest } from '../../points/search-back.ts';
import type { Store } from '../../store/store.ts';

const statement = compile(
  new QueryBuilder()
    .select(pointFields)
    .from(audioData)
    .where(sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}`)
    .orderBy(desc(audioData.time))
    .limit(parameter('limit')),
  'latest_points',
);

/**
 * At most `limit` points, newest first; fewer if the table holds fewer.
 *
 * @param now the clock of the request: where the search begins, which does not change the answer
 */
export function latestPoints(store: Store, { limit }: { limit: number }, now: string): Promise<Points> {
  return readNewest(store, { from: null, to: null }, now, limit, (interval) =>
    readPoints(store.db, statement, { ...interval, limit }),
  );
}
