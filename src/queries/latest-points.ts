// The most recent points.
import { desc } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import type { Point } from '../contract/audio.ts';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import { pointColumns, writable } from './point-columns.ts';

const statement = compile(
  new QueryBuilder()
    .select(pointColumns)
    .from(audioData)
    .where(writable)
    .orderBy(desc(audioData.time))
    .limit(parameter('limit')),
);

/** At most `limit` points, newest first; fewer when the table holds fewer, [] when it is empty. */
export function latestPoints(db: Database, { limit }: { limit: number }): Promise<Point[]> {
  return db.query<Point>(statement, { limit });
}
