// What a database holds of one station: a command works on that alone.
import { DEFAULT_STATION } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { isAway, NotMigrated } from '../db/faults.ts';
import { inSchema } from '../db/in-schema.ts';
import { listStations } from '../db/station-schemas.ts';
import { AppError } from '../errors.ts';
import { readSite } from '../stations/station.ts';

const unknown = (name: string) =>
  new AppError('NOT_FOUND', `There is no station ${name}: \`npm run station -- add ${name}\` makes it`);

/** Whether a database has no station of the name that was asked for. */
export const isMissing = (error: unknown) => error instanceof AppError && error.code === 'NOT_FOUND';

/** Does not ask whether there is that station: a statement says so. */
export const stationIn = <Whole extends Database>(db: Whole, name: string): Whole =>
  name === DEFAULT_STATION ? db : inSchema(db, name, () => unknown(name));

/**
 * A database that is away says later whether it has the station.
 *
 * @throws AppError NOT_FOUND if it has none of that name; NotMigrated if it is older than this version
 */
export async function atStation<Whole extends Database>(db: Whole, name: string): Promise<Whole> {
  const station = stationIn(db, name);
  if (name === DEFAULT_STATION) return db;
  try {
    const isListed = (await listStations(db)).some((listed) => listed.name === name);
    if (!isListed || !(await readSite(station, name))) throw unknown(name);
  } catch (error) {
    if (error instanceof NotMigrated || !isAway(error)) throw error;
  }
  return station;
}
