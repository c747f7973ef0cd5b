// Opens the database of a command, whether or not another process has it.
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
  /** Called when another command comes; what it returns when that leaves. */
  hold(): () => void;
}

interface FolderOptions {
  /** The origin of the points to be stored, if any. */
  readonly points?: PointOrigin;
  /** How long to wait while the process that has the folder starts or ends. */
  readonly waitMs?: number;
  /** What this process does for the database while it has it. */
  upkeep?(db: PgliteDatabase): Promise<Upkeep>;
}

/**
 * For a command that stores points: it refreshes the rollups while it runs, unless another process has the folder.
 *
 * @param station whose points it stores, unless it stores those of others too
 * @returns what opens a station, of a database that is opened once for all who have it; throws what `openStation` throws
 */
export function openerOfStations(environment: Needed, station: string) {
  const { config, log } = environment;
  const open = openedOnce(async () => {
    if (config.DATABASE_URL === undefined)
      return openFolder(environment, {
        points: 'measured',
        upkeep: async (db) => maintained(await keepingOld(config, db, log), environment, station),
      });
    // the command itself says that a server is away
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

/** For a command that makes no database. @throws Error if there is no embedded one */
export function assertFolder(config: Config): void {
  const dataDir = dataDirOf(config);
  if (!existsSync(join(dataDir, 'pg', 'PG_VERSION')))
    throw new Error(
      `There is no database in ${resolve(dataDir)}: set DATA_DIR to its folder, or DATABASE_URL to a server`,
    );
}

/** The embedded database in this process, which then serves it to other commands, or of the process that has it. */
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
    if (own.run) await analyseGrownTables(own.run).catch(() => {}); // the points are stored
    const backlog = await readBacklog(own).catch(() => undefined);
    if (backlog && isMany(backlog.minutes))
      terminal.say(
        `${minutesText(backlog.minutes)} wait for the rollups: the service counts them while it answers.`,
      );
    await warnOfOldPoints(runOn(own), log).catch(() => {});
    await db.close();
  };
  return { db: { ...db, close }, hold: refreshing.keepOld };
}
