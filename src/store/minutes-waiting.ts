// Counts the minutes whose changes are not stored yet in the rollups (drizzle/0003).
import type { Database, Statement } from '../db/database.ts';

const readable: Statement = {
  text: `select has_table_privilege(to_regclass('audio_data_notes'), 'select') as is`,
  parameters: [],
};

/** More notes are not counted: from so many on statistics are read from the points alone. */
const MOST_NOTES = 100_001;

const waiting: Statement = {
  name: 'minutes_waiting',
  text: `select coalesce(sum(seconds), 0)::int / 60 as minutes
    from (select distinct bucket, seconds from (
      select bucket, seconds from audio_data_notes where kind = 'changed' limit ${MOST_NOTES}
    ) as notes) as changes`,
  parameters: [],
};

/** @returns null if the database has no rollups, or this role may not read them */
export async function minutesWaiting(db: Pick<Database, 'query'>): Promise<number | null> {
  const [found] = await db.query<{ is: boolean | null }>(readable);
  if (!found?.is) return null;
  const [row] = await db.query<{ minutes: number }>(waiting);
  return row?.minutes ?? null;
}
