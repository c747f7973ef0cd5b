// Opens the database for a command, even if another process holds it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PointOrigin } from '../database/data-folder.ts';
import type { Database } from '../database/database.ts';
import { analyseGrownTables } from '../database/embedded/analyse-tables.ts';
import { openOwnerSocket } from '../database/embedded/owner-socket.ts';
import { closedOnFault, FolderInUse } from '../database/faults.ts';
import { openOwned, openPglite, type PgliteDatabase } from '../database/pglite.ts';
import { warnOfOldPoints } from '../rollups/raw-retention.ts';
import { runOn, startRefreshing } from '../rollups/refresh-rollups.ts';
import { isMany, minutesText, readBacklog } from '../rollups/rollup-backlog.ts';
import { type Config, dataDirOf, ownerUrl } from './config.ts';
import type { Environment } from './environment.ts';
import { keepingOld, LOCK_WAIT_MS, onceFree, openDatabase } from './open-database.ts';
import { atStation, openStation, stationIn } from './station-site.ts';

type Needed = Pick<Environment, 'config' | 'log'>;

interface Opening {
  /** The origin of the points that the caller will store, if any. */
  readonly points?: PointOrigin;
  readonly mustExist?: boolean;
  readonly asOwner?: boolean;
  /** Whether one statement may read or store all points. */
  readonly isPatient?: boolean;
  /** How long to wait while the process that holds the folder starts or ends. */
  readonly waitMs?: number | undefined;
}

const DAY_MS = 86_400_000;
const PATIENT = { POOL_SIZE: 1, QUERY_TIMEOUT_MS: DAY_MS, EXPORT_TIMEOUT_MS: DAY_MS };

/** For a command that needs an answer now. @throws Error if a server, or a folder that must exist, is not there */
export async function openForCommand(
  { config, log }: Needed,
  { mustExist = false, asOwner = false, isPatient = false, ...opening }: Opening = {},
): Promise<Database> {
  if (config.DATABASE_URL === undefined) {
    if (mustExist) assertFolder(config);
    return openFolder({ config, log }, opening);
  }
  const url = asOwner ? ownerUrl(config, '') : config.DATABASE_URL;
  const limits = { ...config, DATABASE_URL: url, ...(isPatient && PATIENT) };
  const db = await openDatabase(limits, log, isPatient ? { poolWaitMs: 10_000 } : {});
  await closedOnFault(db.ready(), db);
  return db;
}

/** Runs work on an existing database, by default as the owner of its tables. */
export async function onDatabase(environment: Needed, work: (db: Database) => Promise<void>, asOwner = true) {
  const db = await openForCommand(environment, { mustExist: true, asOwner });
  await work(db).finally(() => db.close());
}

/** @throws AppError NOT_FOUND if there is no such station */
export function onStation(
  environment: Needed,
  name: string,
  work: (station: Database, db: Database) => Promise<void>,
): Promise<void> {
  return onDatabase(environment, async (db) => work(await atStation(db, name), db));
}

/**
 * For a command that stores points. It refreshes the rollups while it runs, unless another process holds the folder.
 *
 * @param station the command's own station
 * @returns a function that opens a station, on a database that all callers share; it throws what `openStation` throws
 */
export function openerOfStations(environment: Needed & Pick<Environment, 'terminal'>, station: string) {
  const { config, log } = environment;
  const open = openedOnce(async () => {
    if (config.DATABASE_URL === undefined)
      return openFolder(environment, { points: 'measured' }, async (db) =>
        maintained(await keepingOld(config, db, log), environment, station),
      );
    // the command itself reports that a server is away
    const quiet = { ...environment, log: log.child({}, { level: 'error' }) };
    return maintained(await openDatabase(config, log), quiet, station).db;
  });
  return async (name: string, make?: () => Promise<void>): Promise<Database> => {
    const db = await openStation(open, name, make);
    const { run } = db;
    if (name === station || !run) return db;
    const analysed = () => analyseGrownTables(run).catch(() => {});
    return { ...db, close: () => analysed().then(db.close) };
  };
}

function openedOnce(open: () => Promise<Database>): () => Promise<Database> {
  let opened: Promise<Database> | undefined;
  let users = 0;
  async function leave(): Promise<void> {
    const last = opened;
    users -= 1;
    if (users > 0) return;
    opened = undefined;
    await (await last)?.close();
  }
  return async () => {
    users += 1;
    opened ??= open();
    const db = await closedOnFault(opened, { close: async () => leave().catch(() => {}) });
    return { ...db, close: leave };
  };
}

function assertFolder(config: Config): void {
  const dataDir = dataDirOf(config);
  if (!existsSync(join(dataDir, 'pg', 'PG_VERSION')))
    throw new Error(
      `There is no database in ${resolve(dataDir)}: set DATA_DIR to its folder, or DATABASE_URL to a server`,
    );
}

/** Opens the folder and serves it to other commands, or connects to its holder. @param upkeep done while it is held */
export function openFolder(
  { config, log }: Needed,
  { points, waitMs = LOCK_WAIT_MS }: Pick<Opening, 'points' | 'waitMs'> = {},
  upkeep?: (db: PgliteDatabase) => Promise<ReturnType<typeof maintained>>,
): Promise<Database> {
  const dataDir = dataDirOf(config);
  const folder = resolve(dataDir);
  async function openHere(): Promise<Database> {
    const own = await openPglite({ dataDir, points, log });
    const { db, hold } = (await upkeep?.(own)) ?? { db: own, hold: () => () => {} };
    const socket = await openOwnerSocket(folder, db, log, hold);
    return {
      ...db,
      async close() {
        await socket.left();
        await socket.close();
        await db.close();
      },
    };
  }
  return onceFree(
    () =>
      openHere().catch(async (error) => {
        const owned = error instanceof FolderInUse ? await openOwned(folder, points) : undefined;
        if (!owned) throw error;
        return owned;
      }),
    waitMs,
  );
}

function maintained(db: Database, { log, terminal }: Pick<Environment, 'log' | 'terminal'>, station: string) {
  const refreshing = startRefreshing(db, log);
  const own = stationIn(db, station);
  const close = async () => {
    await refreshing.stop();
    if (own.run) await analyseGrownTables(own.run).catch(() => {}); // the points are stored anyway
    const backlog = await readBacklog(own).catch(() => undefined);
    if (backlog && isMany(backlog.minutes))
      terminal.say(
        `${minutesText(backlog.minutes)} are still to be recounted for the rollups. The service recounts them while it runs.`,
      );
    await warnOfOldPoints(runOn(own), log).catch(() => {});
    await db.close();
  };
  // `hold` is called when another command connects, and returns a function to call when that one disconnects
  return { db: { ...db, close }, hold: refreshing.keepOld };
}
