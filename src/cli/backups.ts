// What `backup` and `restore` work on: the database that is configured, or the service that has it.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BackupIo } from '../backup/backup-command.ts';
import type { RestoreIo, RestoreTarget } from '../backup/restore-command.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { closedOnFault, type Database } from '../db/database.ts';
import { analyseGrownTables } from '../db/embedded/analyse-tables.ts';
import { readSegmentName } from '../recorder/storing/spool/spool.ts';
import { stationSpool } from '../recorder/storing/spool/station-spools.ts';
import { setRawRetention } from '../store/raw-retention.ts';
import { POINTS_A_STEP, refreshRollups, runOn } from '../store/refresh-rollups.ts';
import { openFolder } from './command-database.ts';
import { type Config, dataDirOf } from './config.ts';
import { createStation } from './create-station.ts';
import type { Environment } from './environment.ts';
import { migrate, SILENT } from './migrate.ts';
import { LOCK_WAIT_MS } from './recording.ts';
import { openDatabase } from './serve.ts';
import { atStation, isMissing, stationIn } from './station-database.ts';

const DAY_MS = 86_400_000;
/** One statement reads all points, or stores them. */
const PATIENT = { POOL_SIZE: 1, POOL_WAIT_MS: 10_000, QUERY_TIMEOUT_MS: DAY_MS, EXPORT_TIMEOUT_MS: DAY_MS };
/** Between two steps a service answers what waits. */
const PAUSE_MS = 25;

/** @param waitMs how long to wait while another process has the folder */
export function backupIo(environment: Environment, station: string, waitMs = LOCK_WAIT_MS): BackupIo {
  const { config, log, terminal } = environment;
  const dataDir = dataDirOf(config);
  const signal = environment.ended();
  async function openWhole() {
    if (config.DATABASE_URL !== undefined) return openServer(config, log);
    if (!existsSync(join(dataDir, 'pg', 'PG_VERSION')))
      throw new Error(
        `There is no database in ${resolve(dataDir)}: set DATA_DIR to its folder, or DATABASE_URL to a server`,
      );
    return openFolder(environment, { waitMs });
  }
  const at = (station: string): BackupIo => ({
    station,
    at,
    async open() {
      const whole = await openWhole();
      return closedOnFault(atStation(whole, station), whole);
    },
    waiting: () =>
      waitingIn(
        stationSpool(join(dataDir, config.DATABASE_URL === undefined ? 'spool' : 'spool-server'), station),
      ),
    stdout: process.stdout,
    progress: terminal.say,
    signal,
  });
  return at(station);
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
export function restoreIo(environment: Environment, station: string, waitMs = LOCK_WAIT_MS): RestoreIo {
  const { config, log, terminal } = environment;
  const { MIGRATION_DATABASE_URL, DATABASE_URL } = config;
  const url = DATABASE_URL && (MIGRATION_DATABASE_URL ?? DATABASE_URL);
  const signal = environment.ended();
  const openWhole = () =>
    url === undefined
      ? openFolder(environment, { points: 'measured', waitMs })
      : openServer({ ...config, DATABASE_URL: url }, log);
  const at = (station: string): RestoreIo => ({
    station,
    at,
    async open(settings) {
      const db = await openOrMake(openWhole, station, () => createStation(environment, station, settings));
      return url === undefined
        ? folderTarget(db, station, environment)
        : serverTarget(db, station, url, environment);
    },
    retention: station === DEFAULT_STATION ? config.RAW_RETENTION : undefined,
    stdin: process.stdin,
    progress: terminal.say,
    signal,
  });
  return at(station);
}

/** The part of a database that is a station, which is made if it is missing. */
async function openOrMake(
  open: () => Promise<Database>,
  station: string,
  make: () => Promise<unknown>,
): Promise<Database> {
  const whole = await open();
  const found = await closedOnFault(
    atStation(whole, station).catch((error) => {
      if (!isMissing(error)) throw error;
    }),
    whole,
  );
  if (found) return found;
  await whole.close();
  await make();
  return stationIn(await open(), station);
}

function folderTarget(db: Database, station: string, { config }: Environment): RestoreTarget {
  const run = runOn(db);
  return {
    name: station === DEFAULT_STATION ? `The folder ${dataDirOf(config)}` : `The station ${station}`,
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

function serverTarget(db: Database, station: string, url: string, { log }: Environment): RestoreTarget {
  const only = station === DEFAULT_STATION ? {} : { station: { name: station } };
  return {
    name: station === DEFAULT_STATION ? 'The database' : `The station ${station}`,
    db,
    keepFor: (rawRetention) => migrate({ url, rawRetention, ...only }),
    storeRollups: () => migrate({ url, log, ...only }),
  };
}
