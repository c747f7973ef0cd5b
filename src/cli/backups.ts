// What `backup` and `restore` work on: the database that is configured, or the service that has it.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BackupIo } from '../backup/backup-command.ts';
import type { RestoreIo, RestoreTarget } from '../backup/restore-command.ts';
import { closedOnFault, type Database } from '../db/database.ts';
import { analyseGrownTables } from '../db/embedded/analyse-tables.ts';
import { readSegmentName } from '../recorder/storing/spool/spool.ts';
import { setRawRetention } from '../store/raw-retention.ts';
import { POINTS_A_STEP, refreshRollups, runOn } from '../store/refresh-rollups.ts';
import { openFolder } from './command-database.ts';
import { type Config, dataDirOf } from './config.ts';
import type { Environment } from './environment.ts';
import { migrate, SILENT } from './migrate.ts';
import { LOCK_WAIT_MS } from './recording.ts';
import { openDatabase } from './serve.ts';

const DAY_MS = 86_400_000;
/** One statement reads all points, or stores them. */
const PATIENT = { POOL_SIZE: 1, POOL_WAIT_MS: 10_000, QUERY_TIMEOUT_MS: DAY_MS, EXPORT_TIMEOUT_MS: DAY_MS };
/** Between two steps a service answers what waits. */
const PAUSE_MS = 25;

/** @param waitMs how long to wait while another process has the folder */
export function backupIo(environment: Environment, waitMs = LOCK_WAIT_MS): BackupIo {
  const { config, log, terminal } = environment;
  const dataDir = dataDirOf(config);
  return {
    async open() {
      if (config.DATABASE_URL !== undefined) return openServer(config, log);
      if (!existsSync(join(dataDir, 'pg', 'PG_VERSION')))
        throw new Error(
          `There is no database in ${resolve(dataDir)}: set DATA_DIR to its folder, or DATABASE_URL to a server`,
        );
      return openFolder(environment, { waitMs });
    },
    waiting: () => waitingIn(join(dataDir, config.DATABASE_URL === undefined ? 'spool' : 'spool-server')),
    stdout: process.stdout,
    progress: terminal.say,
    signal: environment.ended(),
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

async function openServer(config: Config, log: Logger): Promise<Database> {
  const db = await openDatabase({ ...config, ...PATIENT }, log);
  await closedOnFault(db.ready(), db);
  return db;
}

/** @param waitMs how long to wait while another process has the folder */
export function restoreIo(environment: Environment, waitMs = LOCK_WAIT_MS): RestoreIo {
  const { config, terminal } = environment;
  const { MIGRATION_DATABASE_URL, DATABASE_URL } = config;
  const url = DATABASE_URL && (MIGRATION_DATABASE_URL ?? DATABASE_URL);
  return {
    open: () => (url === undefined ? folderTarget(environment, waitMs) : serverTarget(url, environment)),
    retention: config.RAW_RETENTION,
    stdin: process.stdin,
    progress: terminal.say,
    signal: environment.ended(),
  };
}

async function folderTarget(environment: Environment, waitMs: number): Promise<RestoreTarget> {
  const db = await openFolder(environment, { points: 'measured', waitMs });
  const run = runOn(db);
  return {
    name: `The folder ${dataDirOf(environment.config)}`,
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

async function serverTarget(url: string, { config, log }: Environment): Promise<RestoreTarget> {
  return {
    name: 'The database',
    db: await openServer({ ...config, DATABASE_URL: url }, log),
    keepFor: (rawRetention) => migrate({ url, rawRetention }),
    storeRollups: () => migrate({ url, log }),
  };
}
