// Reads the time of the newest point.
import { compile, parameter } from '../../db/compile.ts';
import { desc, QueryBuilder, type SQL } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import { instantText } from '../../db/statement-values.ts';
import { inInterval } from '../../points/points.ts';
import { readNewest } from '../../points/search-back.ts';
import type { Store } from '../../store/store.ts';

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
