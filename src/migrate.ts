// Brings a server's schema up to date: safe to run again, and safe to run twice at once.
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { assertAdoptable } from './db/adoption.ts';
import { explain } from './db/faults.ts';
import { MIGRATIONS_FOLDER } from './db/migrations.ts';
import { grantReader } from './db/reader-role.ts';
import { decideLayout } from './timescale/detect.ts';
import {
  applyPolicies,
  checkRetention,
  type Log,
  POLICIES,
  type RetentionSettings,
} from './timescale/policies.ts';
import { NOTED_BEFORE, ROLLUPS, rollupName } from './timescale/rollups.ts';

export interface MigrateSettings extends RetentionSettings {
  /** As the owner of the schema. */
  url: string;
  /** The role to let read; it must exist. */
  readerRole?: string | undefined;
  log?: Log;
}

/** Any number will do, as long as it stays the same. */
const LOCK = 7_281_104_223;
const silent: Log = { info() {}, warn() {} };

/**
 * @throws an Error that says what to do: about a setting, or about everything in the database that does not
 * fit; nothing is changed then
 */
export async function migrate(settings: MigrateSettings): Promise<void> {
  const { log = silent, readerRole } = settings;
  const client = new pg.Client({
    connectionString: settings.url,
    application_name: 'audio-metrics migrate',
    connectionTimeoutMillis: 10_000,
    statement_timeout: 0,
  });
  client.on('error', () => {}); // the query that runs fails too
  try {
    await client.connect();
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await checkRetention(client, settings);
    await applyAll(client, log);
    if (await isHypertable(client)) {
      // before the policies: retention must not drop what is not in the aggregate yet
      await materialiseOnce(client, log);
      await inTransaction(client, () => applyPolicies(client, settings, log));
    } else if (settings.rawRetention ?? settings.aggregateRetention) {
      log.warn({}, 'RAW_RETENTION and AGGREGATE_RETENTION do nothing without TimescaleDB');
    }
    if (readerRole !== undefined) await inTransaction(client, () => grantReader(client, readerRole));
  } catch (error) {
    throw explain(error);
  } finally {
    await client.end();
  }
}

async function applyAll(client: pg.Client, log: Log): Promise<void> {
  await inTransaction(client, async () => {
    const fresh = !(await hasMigrations(client));
    const layout =
      fresh || (await isHypertable(client))
        ? await decideLayout(client)
        : { timescaledb: false, reason: 'it was when the database was first migrated' };
    if (fresh) await assertAdoptable(client, layout.timescaledb);
    await client.query(`select set_config('audio_metrics.timescaledb', $1, false)`, [
      layout.timescaledb ? 'on' : 'off',
    ]);
    log.info(layout, `The layout is ${layout.timescaledb ? 'hypertable' : 'plain'}: ${layout.reason}`);
    // its own BEGIN finds this transaction open and goes on in it; its COMMIT or ROLLBACK ends it
    await applyMigrations(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER });
  });
}

async function hasMigrations(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as found`,
  );
  if (!rows[0].found) return false;
  return (await client.query('select from drizzle.__drizzle_migrations limit 1')).rows.length > 0;
}

async function isHypertable(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('timescaledb_information.hypertables') as found`);
  if (rows[0].found === null) return false;
  const { rows: tables } = await client.query(
    `select from timescaledb_information.hypertables
     where hypertable_schema = current_schema() and hypertable_name = 'audio_data'`,
  );
  return tables.length > 0;
}

/** Points that were there before the aggregates enter them here; the policies look back only so far. */
async function materialiseOnce(client: pg.Client, log: Log): Promise<void> {
  // an empty window, so nothing is stored; but changes are noted up to the end of the latest window (rollups.ts)
  await client.query(
    `call refresh_continuous_aggregate($1::regclass, $2::timestamptz - interval '1 day', $2::timestamptz)`,
    [rollupName('total', '1d'), NOTED_BEFORE],
  );
  await fill(client, log, { name: 'audio_data_1min', width: '1 minute', end: POLICIES.refreshEnd });
  for (const { name, seconds } of ROLLUPS)
    await fill(client, log, { name, width: `${seconds} seconds`, end: POLICIES.rollupRefresh.end });
}

async function fill(client: pg.Client, log: Log, aggregate: { name: string; width: string; end: string }) {
  const { name, width, end } = aggregate;
  const { rows } = await client.query(
    `select first::text, last::text from (
       select time_bucket($2::interval, min(time)) as first, time_bucket($2::interval, now() - $3::interval) as last
       from audio_data
     ) points where first < last and not exists (select from show_chunks($1::regclass))`,
    [name, width, end],
  );
  if (rows.length === 0) return;
  log.info(rows[0], `Filling ${name} from the points that are there`);
  // bounds, because a refresh without any would move the watermark to a point dated ahead
  await client.query('call refresh_continuous_aggregate($1::regclass, $2::timestamptz, $3::timestamptz)', [
    name,
    rows[0].first,
    rows[0].last,
  ]);
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
