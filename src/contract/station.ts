// A station: one microphone, with its own schema in the database, and the record of its measurement.
import { z } from 'zod';
import { figure, instantOrNull, textOrNull } from './fields.ts';

/** The station whose tables are in the schema of the connection. */
export const DEFAULT_STATION = 'default';

const TAKEN = /^(default|public|drizzle|information_schema|pg_.*|.*timescaledb.*)$/;

export const STATION_NAME_RULE =
  'must be 1 to 40 letters from a to z, digits and underscores, starting with a letter, and not a name that PostgreSQL, TimescaleDB or Drizzle uses, such as public or pg_data';

/** The name of a station other than the default one. Its schema has the same name. */
export const StationName = z
  .string()
  .refine((name) => /^[a-z][a-z0-9_]{0,39}$/.test(name) && !TAKEN.test(name), { error: STATION_NAME_RULE });

export const isStationName = (name: string) => StationName.safeParse(name).success;

/** Whether a name is valid for a station, including the default one. */
export const isAnyStation = (name: string) => name === DEFAULT_STATION || isStationName(name);

/** @returns the path of a station below the root of the service */
export const stationPath = (name: string) => (name === DEFAULT_STATION ? '/' : `/stations/${name}/`);

export const STATION_STATES = {
  recording: 'the newest point is younger than 10 s or five times the spacing, whichever is longer',
  silent_recorder: 'the recorder of the service runs, but no points arrive',
  offline: 'no points arrive',
  empty: 'there are no points',
} as const;
export type StationState = keyof typeof STATION_STATES;

/** Points dated ahead are not counted beyond this number. */
export const MOST_AHEAD = 1000;

export const aheadCount = (points: string) =>
  z
    .int()
    .min(0)
    .max(MOST_AHEAD)
    .describe(
      `${points} dated a minute or more ahead of the clock of the service, counted up to ${MOST_AHEAD}`,
    );

export const aheadUntil = instantOrNull(
  'Time of the last point dated a minute or more ahead; null without such points. A clock was wrong',
);

/** The most stations that have their own label in the metrics. */
export const MOST_LABELLED = 500;

export const Measurement = z
  .object({
    position: textOrNull('The position of the microphone, such as a window sill on the second floor'),
    height_m: figure('The height of the microphone above the ground, in metres'),
    facade_distance_m: figure('The distance from the microphone to the nearest facade, in metres'),
    microphone: textOrNull('The microphone, with its serial number'),
    sound_card: textOrNull('The sound card, with its serial number'),
    calibrator: textOrNull('The sound calibrator, with its serial number'),
    windscreen: textOrNull('The windscreen'),
    operator: textOrNull('The person or office that measures'),
  })
  .meta({ id: 'Measurement', description: 'The measurement record. Fields that nobody has set are null' });
export type Measurement = Readonly<z.infer<typeof Measurement>>;

/** The record in the database and in backups, without the fields that nobody has set. */
export const KeptMeasurement = Measurement.partial();
export type KeptMeasurement = Readonly<z.infer<typeof KeptMeasurement>>;

const UNKNOWN = Object.fromEntries(Measurement.keyof().options.map((field) => [field, null]));

/** Sets missing fields to null. */
export const measurementOf = (kept: KeptMeasurement | null | undefined): Measurement =>
  Measurement.parse({ ...UNKNOWN, ...kept });
