// Reads the times of the oldest and the newest point.
import { AFTER_LAST_INSTANT, FIRST_INSTANT } from '../contract/instant.ts';
import type { Database, Statement } from '../database/database.ts';
import { asc, desc } from '../database/drizzle.ts';
import { audioData } from '../database/schema.ts';
import { firstTimes } from './newest-time.ts';

const oldestIn = firstTimes(asc(audioData.time), 'oldest_point');
const newestIn = firstTimes(desc(audioData.time), 'newest_point');

const ALL = { from: FIRST_INSTANT, to: AFTER_LAST_INSTANT };

/** The times of the oldest and the newest point, canonical; null if there is none. A point dated ahead counts. */
export async function timeSpan(db: Database) {
  const first = async (statement: Statement) => {
    const [row] = await db.query<{ time: string }>(statement, { ...ALL, limit: 1 });
    return row?.time ?? null;
  };
  return { oldest: await first(oldestIn), newest: await first(newestIn) };
}
