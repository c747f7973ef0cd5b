// Whether a server gets TimescaleDB's layout or the plain one, and why.
import type pg from 'pg';

export interface Layout {
  timescaledb: boolean;
  /** For the log: what was found. */
  reason: string;
}

/** The oldest version that this layout was tried on. */
const OLDEST = [2, 28] as const;

/**
 * Decides inside the transaction of the migration, and creates the extension where that is allowed, so that
 * a migration that fails leaves no extension behind.
 *
 * @throws when TimescaleDB is older than what this version works with
 */
export async function decideLayout(client: pg.Client): Promise<Layout> {
  const { rows } = await client.query<{
    installed: string | null;
    available: string | null;
    loaded: boolean;
  }>(
    `select (select extversion from pg_extension where extname = 'timescaledb') as installed,
       (select default_version from pg_available_extensions where name = 'timescaledb') as available,
       current_setting('timescaledb.disable_load', true) is not null as loaded`,
  );
  const { installed = null, available = null, loaded = false } = rows[0] ?? {};
  const plain = (reason: string): Layout => ({ timescaledb: false, reason });

  if (installed === null && available === null) return plain('the server has no TimescaleDB');
  // without it, CREATE EXTENSION would not fail but end the connection
  if (!loaded) return plain('TimescaleDB is installed, but not in shared_preload_libraries');
  if (installed === null) {
    const refused = await createExtension(client);
    if (refused !== undefined) return plain(`the extension could not be created: ${refused}`);
  }
  const version = installed ?? available ?? '';
  if (isOlder(version))
    throw new Error(
      `TimescaleDB ${version} is older than ${OLDEST.join('.')}: update it (ALTER EXTENSION timescaledb UPDATE)`,
    );
  const license = await client.query(
    `select current_setting('timescaledb.license', true) as license,
       set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(nspname)), false)
     from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'timescaledb'`,
  );
  if (license.rows[0]?.license !== 'timescale')
    return plain('this TimescaleDB is under the Apache licence, which has no continuous aggregates');
  return { timescaledb: true, reason: `TimescaleDB ${version}` };
}

async function createExtension(client: pg.Client): Promise<string | undefined> {
  await client.query('savepoint extension');
  try {
    await client.query('create extension timescaledb');
    await client.query('release savepoint extension');
    return undefined;
  } catch (error) {
    await client.query('rollback to savepoint extension');
    return error instanceof Error ? error.message : String(error);
  }
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
