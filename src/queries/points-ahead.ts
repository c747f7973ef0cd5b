// Points dated ahead: legal, but they stay first among the latest points until their time has come.
import type { Database, Statement } from '../db/database.ts';

export interface PointsAhead {
  /** Those more than a minute ahead of now, at most {@link MOST_COUNTED}. */
  count: number;
  /** Canonical; null where there are none. */
  newest: string | null;
}

/** Counting ends here, so that the question stays cheap. */
export const MOST_COUNTED = 1000;

const statement: Statement = {
  name: 'points_ahead',
  text: `
    select count(*)::int as count,
      to_char(max(time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as newest
    from (
      select time from audio_data where time > $1::timestamptz + interval '1 minute' and time < '10000-01-01Z'
      order by time desc limit ${MOST_COUNTED}
    ) as ahead`,
  parameters: ['now'],
};

/** @param now canonical */
export async function pointsAhead(db: Database, now: string): Promise<PointsAhead> {
  const [found] = await db.query<PointsAhead>(statement, { now });
  return found ?? { count: 0, newest: null };
}
