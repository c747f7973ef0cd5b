// Standbys: replicas that are read-only until a failover makes them the primary.
import { compile } from './compile.ts';
import type { Queries } from './database.ts';
import { sql } from './drizzle.ts';

/** What commands that write say on a standby. */
export const STANDBY =
  'This server is read-only, as a standby is: set DATABASE_URL, or MIGRATION_DATABASE_URL, to the primary';

const IS_STANDBY = compile(sql<{ is: boolean }>`select pg_is_in_recovery() as is`);

export async function isStandby(db: Queries): Promise<boolean> {
  const [row] = await db.query(IS_STANDBY);
  return row?.is ?? false;
}
