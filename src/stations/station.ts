// A station: the service's knowledge of one microphone, and the part of the database that holds its points.
import { JUDGEMENT, type Judgement } from '../contract/judgement.ts';
import { type Limit, parseLimits } from '../contract/limits.ts';
import { type Measurement, measurementOf } from '../contract/measurement.ts';
import type { RecorderState } from '../contract/service.ts';
import { DEFAULT_STATION, stationPath } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { assertMigrated, newestAppliedIn, newestMigration } from '../db/schema-version.ts';
import type { StationSettings } from '../db/station-schemas.ts';
import type { Live } from '../live/live.ts';
import type { Store } from '../store/store.ts';

export interface Site extends Judgement {
  readonly name: string | null;
  readonly timeZone: string;
  readonly limits: Limit[];
  /** The sound pressure level in dB that 0 dBFS stands for; null if unknown. */
  readonly calibrationOffsetDb: number | null;
  readonly measurement: Measurement;
}

export interface Station extends Store {
  readonly name: string;
  /** The URL path of its service, below the base path, such as `/stations/garden/`. */
  readonly path: string;
  site: Site;
  /** Applies the current settings; undefined for the default station, whose settings come from the environment. */
  readonly renew?: (settings: StationSettings) => void;
  readonly recorder: () => RecorderState | null;
  readonly live: Live;
}

export const standard = { name: DEFAULT_STATION, path: stationPath(DEFAULT_STATION) };

const needed = newestMigration();

/**
 * @param db the database, limited to the schema
 * @returns undefined if the schema belongs to no station, or to an incomplete one
 * @throws NotMigrated if the schema is older than this version
 */
export async function readSite(db: Database, schema: string): Promise<Site | undefined> {
  const newest = newestAppliedIn(schema);
  const [row] = await db.query<{ newest: number | null; settings: StationSettings }>({
    label: 'station_settings',
    // the whole row: an older schema lacks some columns
    text: `select (${newest})::float8, to_json(station) as settings from audio_data_station as station`,
    parameters: [],
  });
  if (!row) return undefined;
  assertMigrated(row.newest, needed, `The station ${schema}`);
  return siteOf(row.settings);
}

export function siteOf(settings: StationSettings): Site {
  return {
    name: settings.place_name,
    timeZone: settings.time_zone,
    limits: parseLimits(settings.limits) ?? [],
    calibrationOffsetDb: settings.calibration_offset_db,
    assess: settings.assess ?? JUDGEMENT.assess,
    uncertaintyDb: settings.uncertainty_db ?? JUDGEMENT.uncertaintyDb,
    minMeasuredPercent: settings.min_measured_percent ?? JUDGEMENT.minMeasuredPercent,
    measurement: measurementOf(settings.measurement),
  };
}

/** The site of a station without settings. */
export const NO_SITE = siteOf({
  place_name: null,
  time_zone: 'UTC',
  limits: '',
  calibration_offset_db: null,
});
