// Reads the time of the newest point.
import { compile, parameter } from '../database/compile.ts';
import { desc, QueryBuilder, type SQL } from '../database/drizzle.ts';
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
