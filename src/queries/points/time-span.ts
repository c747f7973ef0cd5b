// Reads the times of the oldest and the newest point.
import { AFTER_LAST_INSTANT, FIRST_INSTANT, type Interval } from '../../contract/instant.ts';
import type { Database, Statement } from '../../db/database.ts';
import { asc, desc } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import type { Store } from '../../store/store.ts';
import { firstChunkEnds, lastChunkStarts } from '../../timescale/internal-catalog.ts';
import { firstTimes } from './newest-time.ts';

const oldestIn = firstTimes(asc(audioData.time), 'oldest_point');
const newestIn = firstTimes(desc(audioData.time), 'newest_point');

const ALL = { from: FIRST_INSTANT, to: AFTER_LAST_INSTANT };

/** The times of the oldest and the newest point, canonical; null if there is none. A point dated ahead counts. */
export async function timeSpan({ db, rollups }: Store) {
  // TimescaleDB plans a statement for every chunk of its interval, so this searches the outermost chunks first
  const hasChunks = (await rollups.timescaledb()) !== undefined;
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
  intervals: readonly Interval[],
): Promise<string | null> {
  for (const interval of intervals) {
    const [row] = await db.query<{ time: string }>(statement, { ...interval, limit: 1 });
    if (row) return row.time;
  }
  return null;
}
