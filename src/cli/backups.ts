// What `backup` and `restore` work on: the database that is configured, or the service that has it.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { BackupIo, BackupSource } from '../backup/backup-command.ts';
import { askOwner } from '../backup/owner-socket.ts';
import type { RestoreIo, RestoreTarget } from '../backup/restore-command.ts';
import { backupOf } from '../backup/snapshot.ts';
import type { Period } from '../contract/periods.ts';
import type { Database } from '../db/database.ts';
import { analyseGrownTables } from '../db/embedded/analyse-tables.ts';
import { putPeriod } from '../db/periods.ts';
import { openPglite } from '../db/pglite.ts';
import { openPostgres } from '../db/postgres.ts';
import { readSegmentName } from '../recorder/spool/segment.ts';
import { setRawRetention } from '../store/raw-retention.ts';
import { refreshRollups, runOn } from '../store/refresh-rollups.ts';
import { type Environment, endedBySignal } from './commands.ts';
import type { Config } from './config.ts';
import { migrate, POINTS_A_STEP, SILENT } from './migrate.ts';
import { LOCK_WAIT_MS } from './recording.ts';
import { onceFree } from './serve.ts';

/** One statement reads all points, or stores them. */
const DAY_MS = 86_400_000;
/** Two who restore at once do not both find the table empty. */
const LOCK = 'select pg_advisory_xact_lock(7281104225)';
const EMPTY = 'select where not exists (select from audio_data)';

const folderOf = ({ DATA_DIR: dataDir = './data' }: Config) => dataDir;

/**
 * @param signal ends the command
 * @param waitMs how long to wait while another process has the folder
 */
export function backupIo(
  { config, log, terminal }: Environment,
  signal = endedBySignal(),
  waitMs = LOCK_WAIT_MS,
): BackupIo {
  return {
    async open() {
      if (config.DATABASE_URL === undefined) return openFolder(folderOf(config), waitMs);
      const db = await openServer(config.DATABASE_URL, log);
      return { lines: backupOf(db), close: () => db.close() };
    },
    waiting: () =>
      waitingIn(join(folderOf(config), config.DATABASE_URL === undefined ? 'spool' : 'spool-server')),
    stdout: process.stdout,
    progress: terminal.say,
    signal,
  };
}

/** Asks the service that has the folder; where none has, opens the database. */
async function openFolder(dataDir: string, waitMs: number): Promise<BackupSource> {
  if (!existsSync(join(dataDir, 'pg', 'PG_VERSION')))
    throw new Error(
      `There is no database in ${resolve(dataDir)}: set DATA_DIR to its folder, or DATABASE_URL to a server`,
    );
  return onceFree(async () => {
    const owner = await askOwner(dataDir);
    if (owner) return { lines: owner, close: async () => void owner.destroy() };
    const db = await openPglite({ dataDir });
    return { lines: backupOf(db), close: () => db.close() };
  }, waitMs);
}

/** @returns how many points wait in a spool, and where; undefined where none do */
function waitingIn(spool: string): string | undefined {
  if (!existsSync(spool)) return undefined;
  const segments = readdirSync(spool).flatMap((name) => readSegmentName(name) ?? []);
  if (segments.length === 0) return undefined;
  const points = segments.reduce((sum, segment) => sum + segment.points, 0);
  return `${points.toLocaleString('en')} points wait in ${spool}; those that were not stored when the backup began are not in it.`;
}

async function openServer(url: string, log: Logger): Promise<Database> {
  const db = openPostgres({
    url,
    poolSize: 1,
    poolWaitMs: 10_000,
    queryTimeoutMs: DAY_MS,
    exportTimeoutMs: DAY_MS,
    log,
  });
  await db.ready().catch(async (error) => {
    await db.close();
    throw error;
  });
  return db;
}

/**
 * @param signal ends the command
 * @param waitMs how long to wait while another process has the folder
 */
export function restoreIo(
  { config, log, terminal }: Environment,
  signal = endedBySignal(),
  waitMs = LOCK_WAIT_MS,
): RestoreIo {
  const { MIGRATION_DATABASE_URL, DATABASE_URL, RAW_RETENTION: retention } = config;
  const url = DATABASE_URL && (MIGRATION_DATABASE_URL ?? DATABASE_URL);
  return {
    open: () => (url === undefined ? folderTarget(folderOf(config), waitMs) : serverTarget(url, log)),
    retention,
    stdin: process.stdin,
    progress: terminal.say,
    signal,
  };
}

async function folderTarget(dataDir: string, waitMs: number): Promise<RestoreTarget> {
  const db = await onceFree(() => openPglite({ dataDir, points: 'measured' }), waitMs);
  return {
    ...targetOn(db, `The folder ${dataDir}`),
    keepFor: (retention) => setRawRetention(db.run, retention, SILENT),
    async storeRollups(signal) {
      await refreshRollups(db.run, POINTS_A_STEP, () => signal.throwIfAborted());
      await analyseGrownTables(db.run);
    },
  };
}

async function serverTarget(url: string, log: Logger): Promise<RestoreTarget> {
  const db = await openServer(url, log);
  return {
    ...targetOn(db, 'The database'),
    keepFor: (rawRetention) => migrate({ url, rawRetention }),
    storeRollups: () => migrate({ url, log }),
  };
}

function targetOn(db: Database, name: string) {
  const run = runOn(db);
  return {
    name,
    async isEmpty() {
      const [found] = await run<{ filled: boolean }>('select exists (select from audio_data) as filled', []);
      return found?.filled === false;
    },
    async isOlder(time: string, retention: string) {
      const text = 'select $1::timestamptz < now() - $2::interval as older';
      const [found] = await run<{ older: boolean }>(text, [time, retention]);
      return found?.older === true;
    },
    store: (csv: AsyncIterable<string>, periods: readonly Period[]) =>
      db.transaction(async ({ run, copy }) => {
        await run(LOCK, []);
        if ((await run(EMPTY, [])).length === 0) return 0;
        const count = await copy(csv);
        await run('delete from audio_data_periods', []); // the points that they told of are gone
        for (const period of periods) await putPeriod(run, period);
        return count;
      }),
    close: () => db.close(),
  };
}
