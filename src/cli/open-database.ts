// Opens what the configuration names: the database, or the embedded one if it names none, and the files in DATA_DIR.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DEFAULT_STATION } from '../contract/station.ts';
import { isOfDemo, type PointOrigin, spoolIn } from '../database/data-folder.ts';
import type { Database } from '../database/database.ts';
import { closedOnFault, FolderInUse } from '../database/faults.ts';
import { openPglite, type PgliteDatabase } from '../database/pglite.ts';
import { openPostgres } from '../database/postgres.ts';
import { openServers } from '../database/servers.ts';
import { closeToOthers } from '../database/synced-folders.ts';
import { EXPORT_SLOTS } from '../load/admission.ts';
import { openSpool, type Spool, stationSpool } from '../recorder/storing/spool/spool.ts';
import { setHistoryRetention, setRawRetention } from '../rollups/raw-retention.ts';
import { type Config, dataDirOf } from './config.ts';
import { takeFormer } from './station-site.ts';

/** The longest wait for the embedded database. A recorder may hold it for some seconds. */
export const LOCK_WAIT_MS = 10_000;

/** @param options as in the drivers; `waitMs` is how long to wait while another process holds the embedded database */
export async function openDatabase(
  config: Config,
  log: Logger,
  { points, waitMs = 0, poolWaitMs }: { points?: PointOrigin; waitMs?: number; poolWaitMs?: number } = {},
): Promise<Database> {
  const { QUERY_TIMEOUT_MS: queryTimeoutMs } = config;
  if (config.DATABASE_URL === undefined) {
    const dataDir = dataDirOf(config);
    warnOfMemoryLimit(log, dataDir);
    const db = await onceFree(() => openPglite({ dataDir, points, queryTimeoutMs, log }), waitMs);
    return keepingOld(config, db, log);
  }
  const options = {
    url: config.DATABASE_URL,
    poolSize: config.POOL_SIZE,
    ...(poolWaitMs && { poolWaitMs }),
    queryTimeoutMs,
    exportTimeoutMs: config.EXPORT_TIMEOUT_MS,
    copyPoolSize: EXPORT_SLOTS,
    log,
  };
  const open = () => openPostgres(options);
  return poolWaitMs ? open() : openServers(open, log); // a command that waits this long does not give up on a server
}

/** Retries while another process holds the folder. @throws what `open` throws; FolderInUse only after the wait */
export async function onceFree<Opened>(open: () => Promise<Opened>, waitMs: number): Promise<Opened> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= deadline) throw error;
      await sleep(100);
    }
  }
}

/** Applies the variables that the embedded database stores. Closes the database if that fails. */
export async function keepingOld(config: Config, db: PgliteDatabase, log: Logger): Promise<PgliteDatabase> {
  await closedOnFault(setRawRetention(db.run, config.RAW_RETENTION, log, { again: 'start again' }), db);
  await closedOnFault(setHistoryRetention(db.run, config.HISTORY_RETENTION), db);
  await closedOnFault(takeFormer(config, db.run, log), db);
  return db;
}

/** The first start, which creates the database, takes 0.6 GB. Later starts take 0.4 GB. */
const NEEDED_MB = { first: 640, later: 450 };

/** The system kills a process above its limit without a message. @param limit in bytes; 0 means none */
export function warnOfMemoryLimit(
  log: Pick<Logger, 'warn'>,
  dataDir: string,
  limit = process.constrainedMemory(),
): void {
  const neededMb = existsSync(join(dataDir, 'pg', 'PG_VERSION')) ? NEEDED_MB.later : NEEDED_MB.first;
  const limitMb = Math.floor(limit / 1024 ** 2);
  if (limit === 0 || limitMb >= neededMb) return;
  log.warn(
    { limitMb, neededMb },
    `The memory limit of ${limitMb} MB is below the ${neededMb} MB that the embedded database needs, so the system may kill the process. Raise the limit, or use a server (DATABASE_URL)`,
  );
}

const ADVICE = 'set DATA_DIR to a writable folder';
const ELSEWHERE = 'set --spool to a writable folder';

/**
 * @param folder one more spool to empty, such as that of another user's recorder
 * @returns the default station's spools. Their folders hold the spools of other stations. None for the demo, or on a
 * server, because recorders empty their own spools there
 */
export async function openServiceSpools(config: Config, folder: string | undefined): Promise<Spool[]> {
  const dataDir = dataDirOf(config);
  if (config.DATABASE_URL !== undefined || isOfDemo(dataDir)) return [];
  const spool = await openSpool(spoolIn(dataDir), ADVICE);
  return folder === undefined ? [spool] : [spool, await openSpool(resolve(folder), ELSEWHERE)];
}

/** @param folder replaces the folder in DATA_DIR */
export function openRecorderSpool(config: Config, folder: string | undefined, station: string, log: Logger) {
  if (folder !== undefined) return openSpool(stationSpool(folder, station), ELSEWHERE);
  closeToOthers(dataDirOf(config), (line) => log.warn({}, line));
  return openSpool(spoolOf(config, station), `${ADVICE}, or choose one with --spool`);
}

export function spoolOf(config: Config, station: string): string {
  const dataDir = dataDirOf(config);
  const own = config.DATABASE_URL === undefined ? spoolIn(dataDir) : join(dataDir, 'spool-server');
  return stationSpool(own, station);
}

export const calibrationFileOf = (config: Config, station: string) =>
  join(dataDirOf(config), station === DEFAULT_STATION ? 'calibration.json' : `calibration-${station}.json`);
