// Brings a server's schema up to date. Safe to run again, also concurrently.
import type pg from 'pg';
import { createOnceIn } from '../commands/progress.ts';
import { assertAdoptable } from '../database/assert-adoptable.ts';
import { assertGrantable, distribute, isCluster, nameShards, nameTables } from '../database/citus.ts';
import { type Log, NO_LOG, type RunStatement } from '../database/database.ts';
import { identifier, queriesOf } from '../database/drizzle.ts';
import { explain } from '../database/faults.ts';
import { grantReader, grantWriter, readersOf, writersOf } from '../database/grant-rights.ts';
import { LastingClient } from '../database/internals/pg.ts';
import { withRights } from '../database/missing-rights.ts';
import { restrictReader, setReaderSettings } from '../database/reader-role.ts';
import { applyMigrations, DEFAULT_JOURNAL } from '../database/schema-version.ts';
import { assertOwnSession, runOnClient } from '../database/session.ts';
import { assertMakeable, type ChangedSettings, setStation } from '../database/station-schemas.ts';
import { allowLargeChanges } from '../database/timescale/allow-large-changes.ts';
import {
  applyPolicies,
  columnstoreFault,
  fillMinutes,
  type PolicySettings,
} from '../database/timescale/policies.ts';
import {
  createMessagesFunction,
  grantMessagesFunction,
  policyHealth,
  policyWarnings,
} from '../database/timescale/policy-health.ts';
import {
  chooseLayout,
  findExtension,
  timescaleLayout,
  updateAdvice,
} from '../database/timescale/timescale-or-plain.ts';
import { AppError } from '../errors.ts';
import { retentionFault, setHistoryRetention, setRawRetention } from '../rollups/raw-retention.ts';
import { refreshRollups } from '../rollups/refresh-rollups.ts';
import { minutesText, readBacklog } from '../rollups/rollup-backlog.ts';
import { takeFormer } from './station-site.ts';

export interface MigrateSettings extends PolicySettings {
  /** Connects as the owner of the schema. */
  url: string;
  /** A role that may read. It must exist. */
  readerRole?: string | undefined;
  rawRetention?: string | undefined;
  historyRetention?: string | undefined;
  /** The option that sets `rawRetention`. By default a variable does. */
  retentionName?: string | undefined;
  /** The first settings of the default station, if it has none. */
  former?: ChangedSettings;
  /** A station other than the default one. `made` holds the settings of a station to create. */
  station?: { readonly name: string; readonly made?: ChangedSettings } | undefined;
  log?: Log;
}

/** Allows one migration of a schema at a time. The number is arbitrary but fixed. */
const LOCK = `select pg_advisory_lock(728110423, hashtext(coalesce($1, current_schema(), '')))`;
export const POINTS_A_FILL = 300_000;

const SAY_EVERY_MS = 5000;

/** Changes nothing if it throws. @throws Error with the remedy for a bad setting or a database that does not fit */
export async function migrate(settings: MigrateSettings): Promise<void> {
  const { log = NO_LOG, station, readerRole } = settings;
  const isDefault = station === undefined; // its migration also sets up what the whole database needs
  const journal = station?.name ?? DEFAULT_JOURNAL;
  const client = new LastingClient({
    connectionString: settings.url,
    application_name: 'audio-metrics migrate',
    connectionTimeoutMillis: 10_000,
    statement_timeout: 0,
  });
  try {
    await client.connect();
    await assertOwnSession(client);
    await client.query(LOCK, [station?.name]);
    const run = runOnClient(client);
    const found = station ? await readersOf(run) : []; // throws if the default station is not migrated
    const readers = readerRole === undefined ? found : [readerRole];
    if (station) await client.query(`set search_path = ${identifier(journal)}`);
    await assertSettings(run, settings);
    if (station?.made) await assertMakeable(run, station.name);
    await applyAll(client, run, journal, log, station);
    await setRawRetention(run, settings.rawRetention, log);
    await setHistoryRetention(run, settings.historyRetention);
    await enableNotes(client);
    const { isHypertable: isTimescale } = await timescaleLayout(client);
    if (isTimescale) {
      await findExtension(client);
      await fillMinutes(client, log);
      await inTransaction(client, async () => {
        await applyPolicies(client, settings, log);
        await createMessagesFunction(client);
        if (isDefault) await allowLargeChanges(client, log);
      });
      const health = await policyHealth(queriesOf(run), 'this station');
      for (const { line } of policyWarnings(health)) log.warn({}, line);
      const advice = isDefault ? await updateAdvice(client) : undefined;
      if (advice !== undefined) log.warn({}, advice);
    } else if (settings.aggregateRetention ?? settings.columnstoreAfter)
      log.warn({}, 'AGGREGATE_RETENTION and COLUMNSTORE_AFTER do nothing without TimescaleDB: remove them');
    await fillRollups(run, log);
    await inTransaction(client, async () => {
      for (const role of readers) {
        await grantReader(run, role, journal);
        if (isTimescale) await grantMessagesFunction(client, role);
        await restrictReader(client, role, log, isDefault);
        if (isDefault) log.info({}, await setReaderSettings(client, role, log));
      }
      for (const role of await writersOf(run)) await grantWriter(run, role, journal);
      if (station?.made) await setStation(queriesOf(run), station.made); // this completes the station
      if (isDefault) await takeFormer(settings, run, log);
    });
  } catch (error) {
    throw explain(await withRights(error, client, 'migrate'));
  } finally {
    await client.end();
  }
}

/** @throws AppError BAD_REQUEST with every variable or option that is not an interval or is too short */
async function assertSettings(run: RunStatement, settings: MigrateSettings): Promise<void> {
  const faults = [
    await columnstoreFault(run, settings.columnstoreAfter),
    await retentionFault(run, settings.retentionName ?? 'RAW_RETENTION', settings.rawRetention),
    await retentionFault(run, 'HISTORY_RETENTION', settings.historyRetention),
    await retentionFault(run, 'AGGREGATE_RETENTION', settings.aggregateRetention),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new AppError('BAD_REQUEST', faults.join('; '));
}

/** Repairs triggers, because a data-only restore or ENABLE TRIGGER ALL changes the sessions in which they fire. */
async function enableNotes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; fires: string }>(
    `select tgname as name,
       case wanted when 'A' then 'always' when 'R' then 'replica' else '' end as fires
     from audio_data_refreshes, unnest(string_to_array(triggers, ',')) as trigger,
       split_part(trigger, ' ', 2) as wanted, pg_trigger
     where tgrelid = 'audio_data'::regclass and tgname = split_part(trigger, ' ', 1) and tgenabled::text <> wanted`,
  );
  for (const { name, fires } of rows)
    await client.query(`alter table audio_data enable ${fires} trigger ${identifier(name)}`);
}

async function fillRollups(run: RunStatement, log: Log): Promise<void> {
  const saying = createOnceIn(SAY_EVERY_MS);
  await refreshRollups(run, POINTS_A_FILL, async () => {
    if (!saying.isDue()) return;
    const backlog = await readBacklog(queriesOf(run));
    if (backlog) log.info({}, `Building rollups: ${minutesText(backlog.minutes)} left`);
  });
}

async function applyAll(
  client: pg.Client,
  run: RunStatement,
  journal: string,
  log: Log,
  station: MigrateSettings['station'],
): Promise<void> {
  const isDistributed = station !== undefined && (await isCluster(run));
  if (isDistributed) {
    await assertGrantable(run, journal);
    await client.query('set citus.enable_schema_based_sharding = off');
  }
  await inTransaction(client, async () => {
    if (station?.made) await client.query(`create schema if not exists ${identifier(journal)}`);
    const fresh = !(await hasMigrations(client, journal));
    const { isHypertable, isContinuousAggregate } = await timescaleLayout(client);
    const layout =
      fresh || isHypertable
        ? await chooseLayout(client, station === undefined)
        : { timescaledb: false, reason: 'the first migration chose it' };
    const { timescaledb } = layout;
    if (fresh)
      await assertAdoptable(client, {
        timescaledb,
        isHypertable: timescaledb && isHypertable,
        isContinuousAggregate: timescaledb && isContinuousAggregate,
      });
    await client.query(`select set_config('audio_metrics.timescaledb', $1, false)`, [
      timescaledb ? 'on' : 'off',
    ]);
    log.info({}, `The layout is ${timescaledb ? 'hypertable' : 'plain'}: ${layout.reason}`);
    await applyMigrations(run, journal, isDistributed ? () => nameTables(run, journal) : undefined);
    if (isDistributed) await nameShards(run, journal);
  });
  // Citus records objects in sessions of its own, which see only what is committed
  if (isDistributed) await inTransaction(client, () => distribute(run, journal));
}

async function hasMigrations(client: pg.Client, journal: string): Promise<boolean> {
  const list = `${identifier(journal)}.__drizzle_migrations`;
  const { rows } = await client.query('select to_regclass($1) is not null as found', [list]);
  if (!rows[0].found) return false;
  return (await client.query(`select from ${list} limit 1`)).rows.length > 0;
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
