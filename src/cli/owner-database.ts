// Runs the work of a command on an existing database, or on one station of it.
import { DEFAULT_STATION } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { noStation, stationNames } from '../db/station-schemas.ts';
import { assertFolder, openFolder } from './command-database.ts';
import { ownerUrl } from './config.ts';
import type { Environment } from './environment.ts';
import { openDatabase } from './open-database.ts';
import { stationIn } from './station-database.ts';

/**
 * @param url the URL to use if a server is configured; by default that of the tables' owner
 * @throws Error if the embedded database does not exist yet
 */
export async function onDatabase(
  environment: Environment,
  work: (db: Database) => Promise<void>,
  url?: string,
): Promise<void> {
  const { config, log } = environment;
  const isEmbedded = config.DATABASE_URL === undefined;
  if (isEmbedded) assertFolder(config);
  const db = isEmbedded
    ? await openFolder(environment)
    : await openDatabase({ ...config, DATABASE_URL: url ?? ownerUrl(config, '') }, log);
  try {
    if (!isEmbedded) await db.ready(); // an open folder is ready, and may be busy
    await work(db);
  } finally {
    await db.close();
  }
}

/** @throws AppError NOT_FOUND if there is no such station */
export function onStation(
  environment: Environment,
  name: string,
  work: (station: Database, db: Database) => Promise<void>,
): Promise<void> {
  return onDatabase(environment, async (db) => {
    if (name !== DEFAULT_STATION && (await stationNames(db, name)).length === 0) throw noStation(name);
    await work(stationIn(db, name), db);
  });
}
