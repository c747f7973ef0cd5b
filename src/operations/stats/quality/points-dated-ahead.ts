// Counts the points dated ahead. They are legal, but say nothing about now.
import { AFTER_LAST_INSTANT } from '../../../contract/instant.ts';
import { MOST_AHEAD } from '../../../contract/station.ts';
import type { Database } from '../../../database/database.ts';
import { compile, instantText, parameter, sql } from '../../../database/drizzle.ts';
import { tables } from '../../../database/schema.ts';

export interface PointsAhead {
  /** At most {@link MOST_AHEAD}. */
  count: number;
  /** The latest time among these points, canonical; null if there are none. */
  newest: string | null;
}

const statement = compile(
  sql<{ time: string }>`
    select ${instantText(sql`time`)} as time
    from ${tables.points} where time >= ${parameter('since')} and time < ${parameter('until')}
    order by audio_data.time desc limit ${sql.raw(String(MOST_AHEAD))}`,
  'points_ahead',
);

/**
 * @param clock canonical; read again after the query: points stored meanwhile are not ahead
 * @returns those at or after the clock's time
 */
export async function pointsAhead(
  db: Database,
  clock: () => string,
  until = AFTER_LAST_INSTANT,
): Promise<PointsAhead> {
  const found = await db.query(statement, { since: clock(), until });
  const now = clock();
  const ahead = found.filter(({ time }) => time >= now);
  return { count: ahead.length, newest: ahead[0]?.time ?? null };
}
