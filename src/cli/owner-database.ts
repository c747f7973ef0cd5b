// Runs what a command does as the owner of the tables: of the database, or of one station.
import { DEFAULT_STATION } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { noStation, stationNames } from '../db/station-schemas.ts';
import { openFolder } from './command-database.ts';
import { ownerUrl } from './config.ts';
import type { Environment } from './environment.ts';
import { openDatabase } from './serve.ts';
import { stationIn } from './station-database.ts';

/** As the owner of the tables. */
export async function onDatabase(
  environment: Environment,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const { config, log } = environment;
  const db =
    config.DATABASE_URL === undefined
      ? await openFolder(environment)
      : await openDatabase({ ...config, DATABASE_URL: ownerUrl(config, '') }, log);
  try {
    if (config.DATABASE_URL !== undefined) await db.ready(); // a folder is whole once it is open, and may be busy
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
    if (name !== DEFAULT_STATION && !(await stationNames(db)).includes(name)) throw noStation(name);
    await work(stationIn(db, name), db);
  });
}
