// A station for a command: its part of the database, and its settings. Variables win over those of the default station.
import { limitsBelowRange } from '../contract/limits-below-range.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { type Database, type Log, logOf, type RunStatement } from '../database/database.ts';
import { queriesOf } from '../database/drizzle.ts';
import { closedOnFault, isAway, NotMigrated } from '../database/faults.ts';
import { inSchema } from '../database/in-schema.ts';
import { newestPeriods } from '../database/periods.ts';
import {
  type ChangedSettings,
  isMissing,
  type ListedStation,
  listStations,
  noStation,
  type StationSettings,
  setFirst,
} from '../database/station-schemas.ts';
import { NO_SETTINGS, readSettingsOf, siteOf } from '../operations/stations/station.ts';
import type { Config } from './config.ts';
import { OwnVariables } from './station-settings.ts';

/** What variables set for the default station: it wins over the settings of the station. */
export function ownSettings(config: Config): Partial<StationSettings> {
  const { PLACE_NAME, TIME_ZONE, LIMITS, CALIBRATION_OFFSET_DB } = config;
  return {
    ...(PLACE_NAME !== undefined && { place_name: PLACE_NAME }),
    ...(TIME_ZONE !== undefined && { time_zone: TIME_ZONE }),
    ...(LIMITS !== undefined && { limits: LIMITS }),
    ...(CALIBRATION_OFFSET_DB !== undefined && { calibration_offset_db: CALIBRATION_OFFSET_DB }),
  };
}

/** @returns the set variables that win over these settings of the default station */
export const hidingVariables = (config: Config, settings: readonly string[]) =>
  OwnVariables.keyof().options.filter(
    (name) => config[name] !== undefined && settings.includes(name.toLowerCase()),
  );

export const withValue = (settings: Partial<StationSettings>) =>
  Object.entries(settings).flatMap(([name, value]) => (value === null || value === '' ? [] : [name]));

/** Gives the default station its first settings, from variables of earlier versions. @param run acts as the owner */
export async function takeFormer(
  { former = {} }: { readonly former?: ChangedSettings },
  run: RunStatement,
  log: Log,
): Promise<void> {
  if (!(await setFirst(queriesOf(run), former))) return;
  const names = Object.keys({ ...former, ...former.measurement }).filter((name) => name !== 'measurement');
  if (names.length > 0) log.info({}, `Wrote ${names.join(', ')} to the settings of the default station`);
}

/** The settings of a station as its service sees them. @param db the station's database, if it is open */
export async function settingsOf(config: Config, station: string, db: Database | undefined) {
  const settings = (await (db && readSettingsOf(db, station))) ?? NO_SETTINGS;
  return station === DEFAULT_STATION ? { ...settings, ...ownSettings(config) } : settings;
}

/**
 * @param db the station's database, if it is open
 * @param reference_db the reference of the station's recorder; null if it has none
 * @returns a warning about the station's limits; undefined if there is none. Settings that cannot be read count as missing
 */
export async function limitsWarning(
  config: Config,
  station: string,
  db: Database | undefined,
  reference_db: number | null,
): Promise<string | undefined> {
  const settings = settingsOf(config, station, db).catch(() => settingsOf(config, station, undefined));
  const { limits, calibrationOffsetDb } = siteOf(await settings);
  return limitsBelowRange(limits, reference_db ?? calibrationOffsetDb);
}

/** Checks limits against the newest points, and names hidden settings. @param recorded stations that recorders check */
export async function checkSettings(
  config: Config,
  db: Database,
  log: Log,
  recorded: ReadonlyMap<string, unknown>,
): Promise<void> {
  const hiding = hidingVariables(config, withValue((await readSettingsOf(db, DEFAULT_STATION)) ?? {}));
  if (hiding.length > 0)
    log.info({}, `Of the settings of the default station, variables hide: ${hiding.join(', ')}`);
  const names = [DEFAULT_STATION, ...(await listStations(db)).map(({ name }) => name)];
  for (const name of names.filter((each) => !recorded.has(each))) {
    const station = stationIn(db, name);
    const [period] = await newestPeriods(station, 1).catch(() => []);
    const warning = await limitsWarning(config, name, station, period?.reference_db ?? null);
    if (warning !== undefined) (name === DEFAULT_STATION ? log : logOf(log, name)).warn({}, warning);
  }
}

/** Does not check that the station exists. If it does not, the first statement fails. */
export const stationIn = <Whole extends Database>(
  db: Whole,
  name: string,
  server?: () => string | undefined,
): Whole => (name === DEFAULT_STATION ? db : inSchema(db, name, () => noStation(name), server));

/**
 * If the database is away, the first statement checks that the station exists.
 *
 * @param make creates the station if it is missing
 * @throws AppError NOT_FOUND if there is no such station; NotMigrated if the schema is older than this version
 */
export async function atStation<Whole extends Database>(
  db: Whole,
  name: string,
  make?: () => Promise<unknown>,
): Promise<Whole> {
  if (name === DEFAULT_STATION) return db;
  let listed: ListedStation | undefined;
  const station = stationIn(db, name, () => listed?.server);
  try {
    listed = (await listStations(db)).find((each) => each.name === name);
    if (!listed || !(await readSettingsOf(station, name))) throw noStation(name);
  } catch (error) {
    if (make && isMissing(error)) await make();
    else if (error instanceof NotMigrated || !isAway(error)) throw error;
  }
  return station;
}

/** Opens the database, and closes it if there is no such station. @throws what `atStation` throws */
export async function openStation(
  open: () => Promise<Database>,
  name: string,
  make?: () => Promise<unknown>,
): Promise<Database> {
  const whole = await open();
  return closedOnFault(atStation(whole, name, make), whole);
}
