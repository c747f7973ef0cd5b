// A station: the service's knowledge of one microphone, and the part of the database that holds its points.
import { JUDGEMENT, type Judgement, type Limit, parseLimits } from '../../contract/limits.ts';
import { DEFAULT_STATION, type Measurement, measurementOf } from '../../contract/station.ts';
import type { Queries } from '../../database/database.ts';
import { compile, sql } from '../../database/drizzle.ts';
import { tables } from '../../database/schema.ts';
import {
  assertMigrated,
  DEFAULT_JOURNAL,
  newestAppliedIn,
  newestMigration,
} from '../../database/schema-version.ts';
import { StationSettings } from '../../database/station-schemas.ts';
import type { Store } from '../../rollups/store.ts';
import type { Live } from '../audio/live/live.ts';
import type { RecorderState } from '../service/contract.ts';

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
  readonly renew: (settings: StationSettings) => void;
  readonly recorder: () => RecorderState | null;
  /** The server that holds it, if others stand behind the same database. */
  readonly server: () => string | undefined;
  readonly live: Live;
}

const needed = newestMigration();

/** @returns undefined if incomplete, or the default one before its first settings. @throws NotMigrated if too old */
export async function readSettingsOf(db: Queries, station: string): Promise<StationSettings | undefined> {
  const newest = newestAppliedIn(station === DEFAULT_STATION ? DEFAULT_JOURNAL : station);
  // the whole row: an older schema lacks some columns
  const select = sql<{ newest: number | null; settings: unknown }>`
    select (${sql.raw(newest)})::float8, to_json(station) as settings from ${tables.station} as station`;
  const [row] = await db.query({ ...compile(select), label: 'station_settings' });
  if (!row) return undefined;
  assertMigrated(row.newest, needed, `The station ${station}`);
  return StationSettings.parse(row.settings);
}

export const siteOf = (settings: StationSettings): Site => ({
  name: settings.place_name,
  timeZone: settings.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  limits: parseLimits(settings.limits) ?? [],
  calibrationOffsetDb: settings.calibration_offset_db,
  assess: settings.assess ?? JUDGEMENT.assess,
  uncertaintyDb: settings.uncertainty_db ?? JUDGEMENT.uncertaintyDb,
  minMeasuredPercent: settings.min_measured_percent ?? JUDGEMENT.minMeasuredPercent,
  weighting: settings.weighting ?? JUDGEMENT.weighting,
  measurement: measurementOf(settings.measurement),
});

/** The settings of the default station before its first ones. */
export const NO_SETTINGS: StationSettings = {
  place_name: null,
  time_zone: null,
  limits: '',
  calibration_offset_db: null,
};
