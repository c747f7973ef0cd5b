// Reads the settings of stations: the default station's from the environment, the others' from the database.
import { limitsText } from '../contract/limits.ts';
import { limitsBelowRange } from '../contract/limits-below-range.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { type Log, logOf } from '../db/log.ts';
import { newestPeriods } from '../db/periods.ts';
import { listStations, readSettings, type StationSettings } from '../db/station-schemas.ts';
import { readSite, type Site } from '../stations/station.ts';
import type { Config } from './config.ts';
import { stationIn } from './station-database.ts';

export const standardSite = (config: Config): Site => ({
  name: config.PLACE_NAME,
  timeZone: config.TIME_ZONE,
  limits: config.LIMITS,
  calibrationOffsetDb: config.CALIBRATION_OFFSET_DB,
  assess: config.ASSESS,
  uncertaintyDb: config.UNCERTAINTY_DB,
  minMeasuredPercent: config.MIN_MEASURED_PERCENT,
  measurement: {
    position: config.MICROPHONE_POSITION,
    height_m: config.MICROPHONE_HEIGHT_M,
    facade_distance_m: config.FACADE_DISTANCE_M,
    microphone: config.MICROPHONE,
    sound_card: config.SOUND_CARD,
    calibrator: config.CALIBRATOR,
    windscreen: config.WINDSCREEN,
    operator: config.OPERATOR,
  },
});

/** The settings for a second station of the same microphone. @param db the first station's database */
export async function settingsOf(config: Config, station: string, db: Database): Promise<StationSettings> {
  if (station !== DEFAULT_STATION) return readSettings(db);
  const site = standardSite(config);
  return {
    place_name: site.name,
    time_zone: site.timeZone,
    limits: limitsText(site.limits),
    calibration_offset_db: site.calibrationOffsetDb,
    assess: site.assess,
    uncertainty_db: site.uncertaintyDb,
    min_measured_percent: site.minMeasuredPercent,
    measurement: site.measurement,
  };
}

/**
 * @param db the station's database, if it is open
 * @param reference_db the reference of the station's recorder; null if it has none
 * @returns a warning about the station's limits; undefined if there is none, or the limits cannot be read
 */
export async function limitsWarning(
  config: Config,
  station: string,
  db: Database | undefined,
  reference_db: number | null,
): Promise<string | undefined> {
  const site =
    station === DEFAULT_STATION
      ? standardSite(config)
      : await (db && readSite(db, station).catch(() => undefined));
  return site && limitsBelowRange(site.limits, reference_db ?? site.calibrationOffsetDb);
}

/** Checks each station's limits against its newest points. @param recorded stations to skip: their recorders check */
export async function warnOfLimits(
  config: Config,
  db: Database,
  log: Log,
  recorded: ReadonlyMap<string, unknown>,
): Promise<void> {
  const names = [DEFAULT_STATION, ...(await listStations(db)).map(({ name }) => name)];
  for (const name of names.filter((each) => !recorded.has(each))) {
    const station = stationIn(db, name);
    const [period] = await newestPeriods(station, 1).catch(() => []);
    const warning = await limitsWarning(config, name, station, period?.reference_db ?? null);
    if (warning !== undefined) (name === DEFAULT_STATION ? log : logOf(log, name)).warn({}, warning);
  }
}
