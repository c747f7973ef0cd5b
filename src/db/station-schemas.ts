// The stations of a database: schemas that hold a table of their settings (drizzle/0005).
import { z } from 'zod';
import { JudgementSettings } from '../contract/judgement.ts';
import { KeptMeasurement } from '../contract/measurement.ts';
import { isStationName } from '../contract/station.ts';
import { AppError } from '../errors.ts';
import type { Database, Run } from './database.ts';

export interface ListedStation {
  readonly name: string;
  /** Of the schema: one that was made anew has another. */
  readonly id: number;
}

const LIST = {
  name: 'stations',
  text: `
    select nspname as name, oid::int8::float8 as id from pg_namespace
    where nspname <> current_schema() and nspname ~ '^[a-z][a-z0-9_]{0,39}$' and has_schema_privilege(oid, 'usage')
      and exists (select from pg_class where relnamespace = pg_namespace.oid and relname = 'audio_data_station')
    order by nspname`,
  parameters: [],
};

/** @returns those that this role may ask, but for the default one; also those that are not wholly made */
export async function listStations({ query }: Pick<Database, 'query'>): Promise<readonly ListedStation[]> {
  const found = await query<ListedStation>(LIST);
  return found.filter(({ name }) => isStationName(name));
}

export const noStation = (name: string) =>
  new AppError('NOT_FOUND', `There is no station ${name}: \`npm run station -- add ${name}\` makes it`);

/** Whether a database has no station of the name that was asked for. */
export const isMissing = (error: unknown) => error instanceof AppError && error.code === 'NOT_FOUND';

/** What can be set of a station, beside how long its points are kept. Null if it is not known. */
export const StationSettings = z.object({
  place_name: z.string().nullable(),
  time_zone: z.string(),
  /** As `LIMITS` has them; empty for none. */
  limits: z.string(),
  calibration_offset_db: z.number().nullable(),
  ...JudgementSettings.shape,
  /** The fields that are known; to set it leaves out the others as they are, and null clears one. */
  measurement: KeptMeasurement.nullish(),
});
export type StationSettings = Readonly<z.infer<typeof StationSettings>>;

/** The columns of audio_data_station, for a statement. */
export const SETTINGS_COLUMNS = StationSettings.keyof().options.join(', ');

/** @throws Error if there is a station of that name already, or something else */
export async function assertMakeable(run: Run, name: string): Promise<void> {
  const [found] = await run<{ taken: boolean; adopted: boolean; begun: boolean }>(
    `select to_regnamespace($1) is not null as taken, to_regclass($1 || '.audio_data') is not null as adopted,
       to_regclass($1 || '.audio_data_station') is not null as begun`,
    [name],
  );
  if (found?.begun && (await run(`select from ${name}.audio_data_station`, [])).length > 0)
    throw new Error(`There is a station ${name} already`);
  if (found?.taken && !found.adopted)
    throw new Error(
      `The database has a schema ${name} already, and no table audio_data in it to adopt: choose another name`,
    );
}

/**
 * Sets a station, which is whole with that.
 *
 * @param run finds its tables
 * @param settings those that change
 */
export async function setStation(
  run: Run,
  { measurement, ...settings }: Partial<StationSettings>,
): Promise<void> {
  const entries = Object.entries(settings);
  const values = entries.map((_, place) => `$${place + 1}`);
  await run('insert into audio_data_station default values on conflict do nothing', []);
  if (entries.length > 0)
    await run(
      `update audio_data_station set (${entries.map(([name]) => name)}) = row(${values})`,
      entries.map(([, value]) => value ?? null),
    );
  if (measurement) await run(MEASUREMENT, [JSON.stringify(measurement)]);
}

const MEASUREMENT = `
  update audio_data_station
  set measurement = nullif(jsonb_strip_nulls(coalesce(measurement, '{}') || $1::jsonb), '{}')`;

/** @param db the station's */
export async function readSettings(db: Database): Promise<StationSettings> {
  const text = `select ${SETTINGS_COLUMNS} from audio_data_station`;
  const [row] = await db.query<StationSettings>({ text, parameters: [] });
  if (!row) throw new Error('The station is not wholly made');
  return row;
}

/** The names of all that are whole but the default one. */
export async function stationNames(db: Database): Promise<string[]> {
  const names: string[] = [];
  for (const { name } of await listStations(db)) {
    const text = `select from ${name}.audio_data_station`;
    if ((await db.query({ text, parameters: [] })).length > 0) names.push(name);
  }
  return names;
}

/** What is set of a station, and what it has. */
export interface ShownStation extends StationSettings {
  readonly raw_retention: string | null;
  readonly points: number;
  readonly oldest: string | null;
  readonly newest: string | null;
}

/** @param db the station's */
export async function showStation(db: Database): Promise<ShownStation> {
  const text = `
    select ${SETTINGS_COLUMNS}, raw_retention, points, oldest::text as oldest, newest::text as newest
    from audio_data_station, audio_data_refreshes,
      (select count(*)::float8 as points, min(time) as oldest, max(time) as newest from audio_data) as found`;
  const [row] = await db.query<ShownStation>({ text, parameters: [] });
  if (!row) throw new Error('The station is not wholly made');
  return row;
}
