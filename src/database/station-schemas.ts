// The stations of a database: each is a schema with a table of its settings (drizzle/0005 and 0008).
import { z } from 'zod';
import { JudgementSettings } from '../contract/limits.ts';
import { isStationName, KeptMeasurement } from '../contract/station.ts';
import { AppError } from '../errors.ts';
import { readServers } from './citus.ts';
import type { Database, Queries, RunStatement, Statement } from './database.ts';
import { getTableColumns, identifier, max, min, sql, withBuilder } from './drizzle.ts';
import { MIGRATIONS } from './missing-rights.ts';
import { tables } from './schema.ts';

export interface ListedStation {
  readonly name: string;
  /** The id of the schema: a recreated schema has a new one. */
  readonly id: number;
  /** The server that holds the schema; undefined for that of the database. */
  readonly server?: string | undefined;
}

/** The default station of another `search_path` has settings too, but its schema has no list of migrations. */
const LIST: Statement<ListedStation & { has_servers: boolean }> = {
  name: 'stations',
  text: `
    select nspname as name, oid::int8::float8 as id,
      to_regclass('pg_catalog.pg_dist_schema') is not null as has_servers from pg_namespace
    where nspname <> current_schema() and has_schema_privilege(oid, 'usage')
      and 2 = (select count(*) from pg_class
        where relnamespace = pg_namespace.oid and relname in ('audio_data_station', '${MIGRATIONS}'))
    order by nspname`,
  parameters: [],
};

/** @returns the stations that this role may query, including incomplete ones, but not the default station */
export async function listStations({ query }: Queries): Promise<readonly ListedStation[]> {
  const found = (await query(LIST)).filter(({ name }) => isStationName(name));
  const servers = found[0]?.has_servers ? await readServers({ query }) : undefined;
  return found.map(({ name, id }) => ({ name, id, server: servers?.get(name) }));
}

export const noStation = (name: string) =>
  new AppError('NOT_FOUND', `There is no station ${name}: \`npm run station -- add ${name}\` creates it`);

/** Whether the error means that the database has no station of the requested name. */
export const isMissing = (error: unknown) => error instanceof AppError && error.code === 'NOT_FOUND';

/** The settings of a station, apart from its retention. Null means the default, or unknown. */
export const StationSettings = z.object({
  place_name: z.string().nullable(),
  /** Null is the zone of the machine that serves the station. */
  time_zone: z.string().nullable(),
  /** In the format of `LIMITS`; empty for none. */
  limits: z.string(),
  calibration_offset_db: z.number().nullable(),
  ...JudgementSettings.shape,
  /** The known fields. A change keeps omitted fields, and clears those that are null. */
  measurement: KeptMeasurement.nullish(),
});
export type StationSettings = Readonly<z.infer<typeof StationSettings>>;

/** Settings to change. Missing ones stay as they are. */
export const ChangedSettings = StationSettings.partial();
export type ChangedSettings = Readonly<z.infer<typeof ChangedSettings>>;

/** @throws Error if the database already has a station, a part of one, or another schema of that name */
export async function assertMakeable(run: RunStatement, name: string): Promise<void> {
  const [found] = await run<{ taken: boolean; adopted: boolean; migrated: boolean; begun: boolean }>(
    `select to_regnamespace(quote_ident($1)) is not null as taken,
       to_regclass(format('%I.audio_data', $1)) is not null as adopted,
       to_regclass(format('%I.${MIGRATIONS}', $1)) is not null as migrated,
       to_regclass(format('%I.audio_data_station', $1)) is not null as begun`,
    [name],
  );
  if (found?.begun && (await run(`select from ${identifier(name)}.audio_data_station`, [])).length > 0)
    throw new Error(`The station ${name} already exists`);
  if (found?.migrated && !found.begun)
    throw new Error(
      `The schema ${name} was a station, but lacks its table audio_data_station: restore the table, or drop the schema`,
    );
  if (found?.taken && !found.adopted)
    throw new Error(
      `The schema ${name} already exists, without a table audio_data to adopt: choose another name`,
    );
}

const { refreshes, points, station } = tables;
const { only_row: _, ...columns } = getTableColumns(station);

const known = (measurement: KeptMeasurement, before = sql`'{}'::jsonb`) =>
  sql`nullif(jsonb_strip_nulls(${before} || ${JSON.stringify(measurement)}::jsonb), '{}')`;

/** Changes settings. The first ones complete a station, but not the default one. @param queries those of the station */
export async function setStation(queries: Queries, settings: ChangedSettings): Promise<void> {
  if (await setFirst(queries, settings)) return;
  const { measurement } = settings;
  const merged = measurement && known(measurement, sql`coalesce(measurement, '{}')`);
  const changed = { ...settings, measurement: merged };
  if (Object.values(changed).every((value) => value === undefined)) return;
  await withBuilder(queries, (builder) => builder.update(station).set(changed));
}

/** Writes the settings of a station that has none. @returns false if it already has settings */
export async function setFirst(queries: Queries, settings: ChangedSettings): Promise<boolean> {
  const { measurement } = settings;
  const row = { ...settings, measurement: measurement && known(measurement) };
  const added = await withBuilder(queries, (builder) =>
    builder.insert(station).values(row).onConflictDoNothing().returning({ limits: station.limits }),
  );
  return added.length > 0;
}

/** @returns undefined before the first settings */
export async function readSettings(queries: Queries): Promise<StationSettings | undefined> {
  const [settings] = await withBuilder(queries, (builder) => builder.select(columns).from(station));
  return settings;
}

/** Reads all points, however long that takes. @param db the station's database */
export const showStation = (db: Database) =>
  db.transaction((transaction) =>
    withBuilder(transaction, async (builder) => {
      const [shown] = await builder
        .select({
          ...columns,
          raw_retention: refreshes.raw_retention,
          history_retention: refreshes.history_retention,
        })
        .from(refreshes)
        .leftJoin(station, sql`true`);
      const [stored] = await builder
        .select({ points: sql<number>`count(*)`, oldest: min(points.time), newest: max(points.time) })
        .from(points);
      if (!shown || !stored) throw new Error('The station is incomplete');
      return { ...shown, ...stored };
    }),
  );
