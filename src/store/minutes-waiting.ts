// Counts the minutes whose changes are not stored yet in the rollups that are tables (drizzle/0004).
import type { Database, Statement } from '../db/database.ts';

const readable: Statement = {
  text: `select has_table_privilege(to_regclass('audio_data_changes'), 'select') as is`,
  parameters: [],
};

/** More notes are not counted: from so many on statistics are read from the points alone. */
const MOST_NOTES = 100_001;

const waiting: Statement = {
  name: 'minutes_waiting',
  text: `select count(distinct bucket)::int as minutes
    from (select bucket from audio_data_changes where not is_stored limit ${MOST_NOTES}) as changes`,
  parameters: [],
};

/** @returns null where the rollups are no tables, or this role may not read them */
export async function minutesWaiting(db: Pick<Database, 'query'>): Promise<number | null> {
  const [found] = await db.query<{ is: boolean | null }>(readable);
  if (!found?.is) return null;
  const [row] = await db.query<{ minutes: number }>(waiting);
  return row?.minutes ?? null;
}
