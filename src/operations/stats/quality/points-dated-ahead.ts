// Counts the points dated ahead. They are legal, but remain the latest points until their time has come.
import type { Database, Statement } from '../../../database/database.ts';
import { MOST_AHEAD } from './contract.ts';

export interface PointsAhead {
  /** At most {@link MOST_AHEAD}. */
  count: number;
  /** The latest time among these points, canonical; null if there are none. */
  newest: string | null;
}

const statement: Statement = {
  name: 'points_ahead',
  text: `
    select to_char(time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time
    from audio_data where time >= $1 and time < '10000-01-01Z'
    order by audio_data.time desc limit ${MOST_AHEAD}`,
  parameters: ['since'],
};

/**
 * @param clock canonical; read again after the query, since a point stored while the query waited is not ahead
 * @returns the points dated at the time of the answer or later
 */
export async function pointsAhead(db: Database, clock: () => string): Promise<PointsAhead> {
  const found = await db.query<{ time: string }>(statement, { since: clock() });
  const now = clock();
  const ahead = found.filter(({ time }) => time >= now);
  return { count: ahead.length, newest: ahead[0]?.time ?? null };
}
