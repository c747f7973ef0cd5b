// What `backup` and `restore` work on: the database that is configured, or the service that has it.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BackupIo } from '../backup/backup-command.ts';
import type { RestoreIo, RestoreTarget } from '../backup/restore-command.ts';
import type { Database } from '../db/database.ts';
import { analyseGrownTables } from '../db/embedded/analyse-tables.ts';
import { openPostgres } from '../db/postgres.ts';
import { readSegmentName } from '../recorder/storing/spool/spool.ts';
import { setRawRetention } from '../store/raw-retention.ts';
import { POINTS_A_STEP, refreshRollups, runOn } from '../store/refresh-rollups.ts';
import { openFolder } from './command-database.ts';
import { endedBySignal } from './commands.ts';
import type { Config } from './config.ts';
import type { Environment } from './environment.ts';
import { migrate, SILENT } from './migrate.ts';
import { LOCK_WAIT_MS } from './recording.ts';

/** One statement reads all points, or stores them. */
const DAY_MS = 86_400_000;
/** Between two steps a service answers what waits. */
const PAUSE_MS = 25;

const folderOf = ({ DATA_DIR: dataDir = './data' }: Config) => dataDir;

/**
 * @param signal ends the command
 * @param waitMs how long to wait while another process has the folder
 */
export function backupIo(
  environment: Environment,
  signal = endedBySignal(),
  waitMs = LOCK_WAIT_MS,
): BackupIo {
  const { config, log, terminal } = environment;
  return {
    async open() {
      if (config.DATABASE_URL !== undefined) return openServer(config.DATABASE_URL, log);
      const dataDir = folderOf(config);
      if (!existsSync(join(dataDir, 'pg', 'PG_VERSION')))
        throw new Error(
          `There is no database in ${resolve(dataDir)}: set DATA_DIR to its folder, or DATABASE_URL to a server`,
        );
      return openFolder(environment, { waitMs });
    },
    waiting: () =>
      waitingIn(join(folderOf(config), config.DATABASE_URL === undefined ? 'spool' : 'spool-server')),
    stdout: process.stdout,
    progress: terminal.say,
    signal,
  };
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
  environment: Environment,
  signal = endedBySignal(),
  waitMs = LOCK_WAIT_MS,
): RestoreIo {
  const { config, log, terminal } = environment;
  const { MIGRATION_DATABASE_URL, DATABASE_URL, RAW_RETENTION: retention } = config;
  const url = DATABASE_URL && (MIGRATION_DATABASE_URL ?? DATABASE_URL);
  return {
    open: () => (url === undefined ? folderTarget(environment, waitMs) : serverTarget(url, log)),
    retention,
    stdin: process.stdin,
    progress: terminal.say,
    signal,
  };
}

async function folderTarget(environment: Environment, waitMs: number): Promise<RestoreTarget> {
  const db = await openFolder(environment, { points: 'measured', waitMs });
  const run = runOn(db);
  return {
    name: `The folder ${folderOf(environment.config)}`,
    db,
    keepFor: (retention) => setRawRetention(run, retention, SILENT),
    async storeRollups(signal) {
      await refreshRollups(run, POINTS_A_STEP, async () => {
        await sleep(PAUSE_MS);
        signal.throwIfAborted();
      });
      await analyseGrownTables(run);
    },
  };
}

async function serverTarget(url: string, log: Logger): Promise<RestoreTarget> {
  return {
    name: 'The database',
    db: await openServer(url, log),
    keepFor: (rawRetention) => migrate({ url, rawRetention }),
    storeRollups: () => migrate({ url, log }),
  };
}
