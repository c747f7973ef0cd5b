// A station: one microphone, which has a schema of the database to itself.
import { z } from 'zod';

/** The station of the connection's own schema. */
export const DEFAULT_STATION = 'default';

const TAKEN = /^(default|public|drizzle|information_schema|pg_.*|.*timescaledb.*)$/;

export const STATION_NAME_RULE =
  'must be 1 to 40 letters from a to z, digits and underscores, the first of them a letter, and not a name that PostgreSQL, TimescaleDB or Drizzle has taken, such as public or pg_data';

/** The name of another station than the default one: the name of its schema. */
export const StationName = z
  .string()
  .refine((name) => /^[a-z][a-z0-9_]{0,39}$/.test(name) && !TAKEN.test(name), { error: STATION_NAME_RULE });

export const isStationName = (name: string) => StationName.safeParse(name).success;

/** Whether it names a station, the default one too. */
export const isAnyStation = (name: string) => name === DEFAULT_STATION || isStationName(name);

/** @returns where the service of a station is, below that of all */
export const stationPath = (name: string) => (name === DEFAULT_STATION ? '/' : `/stations/${name}/`);

/** How a station is doing, by its newest point. */
export const STATION_STATES = {
  recording: 'the newest point is younger than 10 s, or five times the spacing',
  silent_recorder: 'the recorder of the service runs, and no point comes',
  offline: 'no point comes',
  empty: 'there is none',
} as const;
export type StationState = keyof typeof STATION_STATES;

/** So many stations have a name in the metrics. */
export const MOST_LABELLED = 500;
