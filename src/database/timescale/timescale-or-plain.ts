// Chooses between TimescaleDB's layout and the plain one for a server, and gives the reason.
import type pg from 'pg';

/** The oldest version that works with this layout. */
const OLDEST = '2.28';

const plain = (reason: string) => ({ timescaledb: false, reason });

/**
 * Chooses the layout, and creates the extension if that is allowed and useful. Runs in the transaction of the
 * migration, so a failed migration leaves no extension behind.
 *
 * @param mayCreate whether to create the extension
 * @returns the layout with the reason, for the log
 * @throws Error if TimescaleDB is older than {@link OLDEST}
 */
export async function chooseLayout(client: pg.Client, mayCreate: boolean) {
  const { rows } = await client.query<{ installed: boolean; available: boolean; loaded: boolean }>(
    `select exists (select from pg_extension where extname = 'timescaledb') as installed,
       exists (select from pg_available_extensions where name = 'timescaledb') as available,
       coalesce(current_setting('timescaledb.disable_load', true) = 'off', false) as loaded`,
  );
  const { installed = false, available = false, loaded = false } = rows[0] ?? {};
  if (!installed && !available) return plain('the server has no TimescaleDB');
  // if it is not loaded, CREATE EXTENSION ends the connection instead of failing
  if (!loaded) return plain('TimescaleDB is installed, but shared_preload_libraries does not load it');
  if (installed) return await layoutWithExtension(client);
  if (!mayCreate) return plain('the database has no extension timescaledb');

  await client.query('savepoint extension');
  try {
    await client.query('create extension timescaledb');
  } catch (error) {
    await client.query('rollback to savepoint extension');
    return plain(`the extension could not be created: ${error instanceof Error ? error.message : error}`);
  }
  const layout = await layoutWithExtension(client);
  if (!layout.timescaledb) await client.query('rollback to savepoint extension');
  return layout;
}

async function layoutWithExtension(client: pg.Client) {
  const { rows } = await client.query<{ version: string; license: string }>(
    `select extversion as version, current_setting('timescaledb.license', true) as license
     from pg_extension where extname = 'timescaledb'`,
  );
  const { version = '', license } = rows[0] ?? {};
  if (license !== 'timescale')
    return plain('this TimescaleDB is under the Apache licence, which has no continuous aggregates');
  if (isBefore(version, OLDEST))
    throw new Error(
      `TimescaleDB ${version} is older than ${OLDEST}: update it (ALTER EXTENSION timescaledb UPDATE)`,
    );
  return { timescaledb: true, reason: `TimescaleDB ${version}` };
}

/** Adds the schema of the extension to the end of the search_path, so that the session finds its functions. */
export async function findExtension(client: pg.Client): Promise<void> {
  await client.query(`
    select set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(nspname)), false)
    from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'timescaledb'`);
}

/** @returns advice if the server offers a newer TimescaleDB than the database has; otherwise undefined */
export async function updateAdvice(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ installed: string; offered: string }>(
    `select installed_version as installed, default_version as offered
     from pg_available_extensions where name = 'timescaledb' and installed_version is not null`,
  );
  const [{ installed, offered } = { installed: '', offered: '' }] = rows;
  if (!isBefore(installed, offered)) return undefined;
  return `This database has TimescaleDB ${installed}, and the server offers ${offered}. To update it, run in a new session: psql -X -c 'alter extension timescaledb update' (docs/how-to/upgrade.md). The service keeps running meanwhile`;
}

/** Whether one version such as `2.28.3` comes before another. */
export const isBefore = (version: string, other: string): boolean =>
  version.localeCompare(other, 'en', { numeric: true }) < 0;

/** Whether audio_data is a hypertable, and audio_data_1min a continuous aggregate; false without the extension. */
export async function timescaleLayout(client: pg.Client) {
  const { rows } = await client.query(`select to_regclass('timescaledb_information.hypertables') as found`);
  if (rows[0].found === null) return { isHypertable: false, isContinuousAggregate: false };
  const { rows: layouts } = await client.query<{ isHypertable: boolean; isContinuousAggregate: boolean }>(
    `select exists (select from timescaledb_information.hypertables
         where hypertable_schema = current_schema() and hypertable_name = 'audio_data') as "isHypertable",
       exists (select from timescaledb_information.continuous_aggregates
         where view_schema = current_schema() and view_name = 'audio_data_1min') as "isContinuousAggregate"`,
  );
  return layouts[0] ?? { isHypertable: false, isContinuousAggregate: false };
}
