// Stores calibration checks of a station in its database, if it has one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CalibrationCheck } from '../contract/calibrations.ts';
import { addChecks } from '../db/calibrations.ts';
import { openFolder } from './command-database.ts';
import { dataDirOf } from './config.ts';
import type { Environment } from './environment.ts';
import { openDatabase } from './serve.ts';
import { openStation } from './station-database.ts';

/** @throws Error if the database is away, or is not made yet: to calibrate makes none */
export async function storeChecks(
  environment: Environment,
  station: string,
  checks: readonly CalibrationCheck[],
): Promise<void> {
  const { config, log } = environment;
  const isEmbedded = config.DATABASE_URL === undefined;
  if (isEmbedded && !existsSync(join(dataDirOf(config), 'pg', 'PG_VERSION')))
    throw new Error('there is none in DATA_DIR');
  const quiet = log.child({}, { level: 'error' });
  const open = () => (isEmbedded ? openFolder(environment) : openDatabase(config, quiet));
  const db = await openStation(open, station);
  try {
    if (!isEmbedded) await db.ready(); // a transaction would wait for a server that is away
    await db.transaction(({ run }) => addChecks(run, checks));
  } finally {
    await db.close();
  }
}
