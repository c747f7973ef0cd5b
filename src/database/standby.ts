// Standbys: replicas that are read-only until a failover makes them the primary.
import type { Database } from './database.ts';

/** What commands that write say on a standby. */
export const STANDBY =
  'This server is read-only, as a standby is: set DATABASE_URL, or MIGRATION_DATABASE_URL, to the primary';

export async function isStandby(db: Pick<Database, 'query'>): Promise<boolean> {
  const [row] = await db.query<{ is: boolean }>({ text: 'select pg_is_in_recovery() as is', parameters: [] });
  return row?.is ?? false;
}
