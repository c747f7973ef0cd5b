// From when to when there are points.
import { asc, desc, type SQL, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import { AFTER_LAST_INSTANT, FIRST_INSTANT } from '../../contract/instant.ts';
import { compile, parameter } from '../../db/compile.ts';
import type { Database, Statement } from '../../db/database.ts';
import { audioData } from '../../db/schema.ts';
import { instantText } from '../../db/statement-values.ts';
import { firstChunkEnds, lastChunkStarts } from '../../timescale/internal-catalog.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';

const first = (order: SQL, name: string): Statement =>
  compile(
    new QueryBuilder()
      .select({ time: instantText(audioData.time).as('time') })
      .from(audioData)
      .where(sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}`)
      .orderBy(order)
      .limit(parameter('limit')),
    name,
  );

const oldestIn = first(asc(audioData.time), 'oldest_point');
const newestIn = first(desc(audioData.time), 'newest_point');

const ALL = { from: FIRST_INSTANT, to: AFTER_LAST_INSTANT };

/** The times of the oldest and of the newest point, canonical, one dated ahead included; null where there is none. */
export async function timeSpan({
  db,
  rollups,
}: Store): Promise<{ oldest: string | null; newest: string | null }> {
  // TimescaleDB plans a statement for every chunk in its interval, so the outermost chunks are asked first
  const hasChunks = await rollups.inUse();
  const ends = hasChunks ? await firstChunkEnds(db, ALL) : [];
  const oldest = await firstFound(db, oldestIn, [...ends.map((to) => ({ ...ALL, to })), ALL]);
  if (oldest === null) return { oldest, newest: null };
  const starts = hasChunks ? await lastChunkStarts(db, ALL) : [];
  const newest = await firstFound(db, newestIn, [...starts.map((from) => ({ ...ALL, from })), ALL]);
  return { oldest, newest };
}

async function firstFound(
  db: Database,
  statement: Statement,
  intervals: readonly { from: string; to: string }[],
): Promise<string | null> {
  for (const interval of intervals) {
    const [row] = await db.query<{ time: string }>(statement, { ...interval, limit: 1 });
    if (row) return row.time;
  }
  return null;
}
