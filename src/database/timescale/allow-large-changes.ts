// Lets one statement change any number of points: by default TimescaleDB stops at 100,000 points of the columnstore.
import type pg from 'pg';
import type { Log } from '../database.ts';
import { identifier } from '../drizzle.ts';

const SETTING = 'timescaledb.max_tuples_decompressed_per_dml_transaction';

/** Removes the limit for new sessions, unless the operator has set one. Logs the SQL if this role may not. */
export async function allowLargeChanges(client: pg.Client, log: Log): Promise<void> {
  // not by `source`, which a refresh of TimescaleDB changes: it sets the limit in its session
  const { rows } = await client.query<{ database: string; may: boolean }>(
    `select datname as database, pg_has_role(datdba, 'usage') as may from pg_database, pg_settings
     where datname = current_database() and pg_settings.name = $1 and reset_val = boot_val`,
    [SETTING],
  );
  for (const { database, may } of rows) {
    const sql = `alter database ${identifier(database)} set ${SETTING} = 0`;
    if (may) await client.query(sql);
    else
      log.info(
        {},
        `One SQL statement can change at most 100,000 points in the columnstore, unless the owner of the database runs: ${sql}`,
      );
  }
}
