// Counts the points dated ahead: they are legal, but remain the latest points until their time has come.
import { MOST_AHEAD } from '../../contract/quality.ts';
import type { Database, Statement } from '../../db/database.ts';

export interface PointsAhead {
  /** At most {@link MOST_AHEAD}. */
  count: number;
  /** The latest of their times, canonical; null if there are none. */
  newest: string | null;
}

const statement: Statement = {
  name: 'points_ahead',
  text: `
    select count(*)::int as count,
      to_char(max(time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as newest
    from (
      select time from audio_data where time >= $1 and time < '10000-01-01Z'
      order by time desc limit ${MOST_AHEAD}
    ) as ahead`,
  parameters: ['since'],
};

/** @returns the points dated `since` (canonical) or later */
export async function pointsAhead(db: Database, since: string): Promise<PointsAhead> {
  const [found] = await db.query<PointsAhead>(statement, { since });
  return found ?? { count: 0, newest: null };
}
