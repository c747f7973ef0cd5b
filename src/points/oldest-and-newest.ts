// Reads the times of the oldest and the newest point.
import { AFTER_LAST_INSTANT, FIRST_INSTANT } from '../contract/instant.ts';
import { compile, parameter } from '../database/compile.ts';
import type { Database, Statement } from '../database/database.ts';
import { asc, desc, QueryBuilder, type SQL } from '../database/drizzle.ts';
import { audioData } from '../database/schema.ts';
import { instantText } from '../database/statement-values.ts';
import type { Store } from '../rollups/store.ts';
import { inInterval } from './points.ts';
import { readNewest } from './search-back.ts';

/** The first times of an interval in the given order, canonical. */
export const firstTimes = (order: SQL, name: string) =>
  compile(
    new QueryBuilder()
      .select({ time: instantText(audioData.time).as('time') })
      .from(audioData)
      .where(inInterval)
      .orderBy(order)
      .limit(parameter('limit')),
    name,
  );

const statement = firstTimes(desc(audioData.time), 'newest_time');

/**
 * @param to ignores points dated later
 * @returns the time of the newest point before `to`, canonical; undefined if there is none
 */
export async function newestTime(store: Store, to: string): Promise<string | undefined> {
  const { rows } = await readNewest({ from: null, to }, to, 1, async (interval) => {
    const rows = await store.db.query<{ time: string }>(statement, { ...interval, limit: 1 });
    return { count: rows.length, rows };
  });
  return rows[0]?.time;
}

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
