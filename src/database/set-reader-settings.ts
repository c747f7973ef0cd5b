// The settings that new sessions of the service's role start with.
import pg from 'pg';
import { identifier } from './identifier.ts';
import type { Log } from './log.ts';
import { MISSING_RIGHT } from './missing-rights.ts';
import { QUERY_SETTINGS } from './session.ts';

/**
 * Gives the role the settings of queries in this database, so that all its sessions plan alike, even those that a
 * pooler opens. Does not change settings that the role already has.
 *
 * @returns a line for the log: what changed, or who may change it
 */
export async function setReaderSettings(client: pg.Client, role: string, log: Log): Promise<string> {
  const { rows } = await client.query<{ database: string; owner: string; present: string[] }>(
    `select current_database() as database, current_user as owner, array(
       select lower(split_part(setting, '=', 1))
       from pg_db_role_setting
       join pg_database on pg_database.oid = setdatabase
       join pg_roles on pg_roles.oid = setrole, unnest(setconfig) as setting
       where datname = current_database() and rolname = $1) as present`,
    [role],
  );
  const { database = '', owner, present = [] } = rows[0] ?? {};
  if (owner === role) return `The sessions of ${role} stay as they are, because ${role} is the owner`;
  const missing = Object.entries(QUERY_SETTINGS).filter(([name]) => !present.includes(name));
  if (missing.length === 0) return `The sessions of ${role} have their settings`;
  const where = `role ${identifier(role)} in database ${identifier(database)}`;
  const changes = missing.map(([name, value]) => `alter ${where} set ${name} = '${value}';`);
  await client.query('savepoint reader_settings');
  try {
    await client.query(changes.join(' '));
    return `The sessions of ${role} begin with ${missing.map((setting) => setting.join(' = ')).join(', ')}`;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === MISSING_RIGHT)) throw error;
    await client.query('rollback to reader_settings');
    for (const change of changes) log.debug?.({}, change);
    return `The sessions of ${role} keep their settings, because ${owner} may not alter that role. The service sets its own; for psql, run the SQL that LOG_LEVEL=debug prints, as ${role}`;
  }
}
