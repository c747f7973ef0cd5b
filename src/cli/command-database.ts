// Opens the database for a command, even if another process holds it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PointOrigin } from '../db/data-folder.ts';
import { closedOnFault, type Database } from '../db/database.ts';
import { analyseGrownTables } from '../db/embedded/analyse-tables.ts';
import { openOwnerSocket } from '../db/embedded/owner-socket.ts';
import { FolderInUse } from '../db/faults.ts';
import { openOwned, openPglite, type PgliteDatabase } from '../db/pglite.ts';
import { warnOfOldPoints } from '../store/raw-retention.ts';
import { runOn, startRefreshing } from '../store/refresh-rollups.ts';
import { isMany, minutesText, readBacklog } from '../store/rollup-backlog.ts';
import { type Config, dataDirOf } from './config.ts';
import type { Environment } from './environment.ts';
import { keepingOld, onceFree, openDatabase } from './open-database.ts';
import { LOCK_WAIT_MS } from './recording.ts';
import { openStation, stationIn } from './station-database.ts';

type Needed = Pick<Environment, 'config' | 'log' | 'terminal'>;

interface Upkeep {
  readonly db: Database;
  /** Called when another command connects. It returns a function to call when that command disconnects. */
  hold(): () => void;
}

interface FolderOptions {
  /** The origin of the points that the caller will store, if any. */
  readonly points?: PointOrigin;
  /** How long to wait while the process that holds the folder starts or ends. */
  readonly waitMs?: number;
  /** Maintenance that this process does while it holds the database. */
  upkeep?(db: PgliteDatabase): Promise<Upkeep>;
}

/**
 * For a command that stores points. It refreshes the rollups while it runs, unless another process holds the folder.
 *
 * @param station the command's own station
 * @returns a function that opens a station, on a database that all callers share; it throws what `openStation` throws
 */
export function openerOfStations(environment: Needed, station: string) {
  const { config, log } = environment;
  const open = openedOnce(async () => {
    if (config.DATABASE_URL === undefined)
      return openFolder(environment, {
        points: 'measured',
        upkeep: async (db) => maintained(await keepingOld(config, db, log), environment, station),
      });
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

/** For a command that must not create a database. @throws Error if there is no embedded one */
export function assertFolder(config: Config): void {
  const dataDir = dataDirOf(config);
  if (!existsSync(join(dataDir, 'pg', 'PG_VERSION')))
    throw new Error(
      `There is no database in ${resolve(dataDir)}: set DATA_DIR to its folder, or DATABASE_URL to a server`,
    );
}

/** Opens the embedded database here and serves it to other commands, or connects to the process that holds it. */
export function openFolder(
  { config, log }: Needed,
  { points, waitMs = LOCK_WAIT_MS, upkeep }: FolderOptions = {},
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

function maintained(db: Database, { log, terminal }: Needed, station: string): Upkeep {
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
  return { db: { ...db, close }, hold: refreshing.keepOld };
}
