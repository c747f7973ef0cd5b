// Restricts a database to one station, for a command that works on that station alone.
import { DEFAULT_STATION } from '../contract/station.ts';
import { closedOnFault, type Database } from '../database/database.ts';
import { isAway, NotMigrated } from '../database/faults.ts';
import { inSchema } from '../database/in-schema.ts';
import { isMissing, listStations, noStation } from '../database/station-schemas.ts';
import { readSettingsOf } from '../operations/stations/station.ts';

/** Does not check that the station exists. If it does not, the first statement fails. */
export const stationIn = <Whole extends Database>(db: Whole, name: string): Whole =>
  name === DEFAULT_STATION ? db : inSchema(db, name, () => noStation(name));

/**
 * If the database is away, the first statement checks that the station exists.
 *
 * @throws AppError NOT_FOUND if there is no such station; NotMigrated if the schema is older than this version
 */
export async function atStation<Whole extends Database>(db: Whole, name: string): Promise<Whole> {
  const station = stationIn(db, name);
  if (name === DEFAULT_STATION) return db;
  try {
    const isListed = (await listStations(db)).some((listed) => listed.name === name);
    if (!isListed || !(await readSettingsOf(station, name))) throw noStation(name);
  } catch (error) {
    if (error instanceof NotMigrated || !isAway(error)) throw error;
  }
  return station;
}

/**
 * @param open opens the database; closing the station closes it
 * @param make creates the station if it is missing
 * @throws what `atStation` throws
 */
export async function openStation(
  open: () => Promise<Database>,
  name: string,
  make?: () => Promise<void>,
): Promise<Database> {
  const whole = await open();
  const found = atStation(whole, name).catch(async (error) => {
    if (!make || !isMissing(error)) throw error;
    await make();
    return stationIn(whole, name);
  });
  return closedOnFault(found, whole);
}
