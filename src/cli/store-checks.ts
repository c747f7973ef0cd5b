// Stores a station's calibration checks in its database.
import type { CalibrationCheck } from '../contract/calibrations.ts';
import { addChecks } from '../db/calibrations.ts';
import type { Environment } from './environment.ts';
import { onDatabase } from './owner-database.ts';
import { atStation } from './station-database.ts';

/** @throws Error if the database is away, or does not exist yet: calibrating creates none */
export async function storeChecks(
  environment: Environment,
  station: string,
  checks: readonly CalibrationCheck[],
): Promise<void> {
  const { config, log } = environment;
  const quiet = { ...environment, log: log.child({}, { level: 'error' }) };
  await onDatabase(
    quiet,
    async (db) => (await atStation(db, station)).transaction(({ run }) => addChecks(run, checks)),
    config.DATABASE_URL, // a recorder may lack the owner's URL
  );
}
