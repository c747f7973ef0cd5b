// A station: what a service knows of one microphone, and the part of the database that holds its points.
import pg from 'pg';
import { type Limit, parseLimits } from '../contract/limits.ts';
import type { RecorderState } from '../contract/service.ts';
import { DEFAULT_STATION, stationPath } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { assertMigrated, newestAppliedIn, newestMigration } from '../db/schema-version.ts';
import type { StationSettings } from '../db/station-schemas.ts';
import type { Live } from '../live/live.ts';
import type { Store } from '../store/store.ts';

/** The place of a microphone. */
export interface Site {
  readonly name: string | null;
  readonly timeZone: string;
  readonly limits: Limit[];
  /** The sound pressure level in dB that 0 dBFS stands for; null if that is not known. */
  readonly calibrationOffsetDb: number | null;
}

export interface Station extends Store {
  readonly name: string;
  /** Where its service is, below that of all, such as `/stations/garden/`. */
  readonly path: string;
  site: Site;
  /** Takes over what is set of it now; undefined for the default one, whose settings are the environment's. */
  readonly renew?: (settings: StationSettings) => void;
  readonly recorder: () => RecorderState | null;
  readonly live: Live;
}

export const standard = { name: DEFAULT_STATION, path: stationPath(DEFAULT_STATION) };

const needed = newestMigration();

/**
 * @param db the part of the database that is the schema
 * @returns undefined if the schema is that of no station, or of one that is not wholly made
 * @throws NotMigrated if the schema is older than this version
 */
export async function readSite(db: Database, schema: string): Promise<Site | undefined> {
  const newest = newestAppliedIn(pg.escapeIdentifier(schema));
  const [row] = await db.query<StationSettings & { newest: number | null }>({
    label: 'station_settings',
    text: `select (${newest})::float8, place_name, time_zone, limits, calibration_offset_db from audio_data_station`,
    parameters: [],
  });
  if (!row) return undefined;
  assertMigrated(row.newest, needed, `The station ${schema}`);
  return siteOf(row);
}

export function siteOf({ place_name, time_zone, limits, calibration_offset_db }: StationSettings): Site {
  return {
    name: place_name,
    timeZone: time_zone,
    limits: parseLimits(limits) ?? [],
    calibrationOffsetDb: calibration_offset_db,
  };
}
