// Stations beside the default one, for tests.
import { makeStation as makeByCommand } from '../src/cli/make-station.ts';
import { migrate } from '../src/cli/migrate.ts';
import type { GivenSettings } from '../src/cli/station-settings.ts';
import { limitsText } from '../src/contract/limits-text.ts';
import type { Database, Statement, Values } from '../src/database/database.ts';
import { queriesOf } from '../src/database/drizzle.ts';
import { inSchema } from '../src/database/in-schema.ts';
import { applyMigrations } from '../src/database/schema-version.ts';
import { type StationSettings, setStation } from '../src/database/station-schemas.ts';
import type { Site } from '../src/operations/stations/station.ts';
import { createRollups } from '../src/rollups/store.ts';
import type { TestDatabase } from './engines.ts';
import { environmentOf } from './environment.ts';

/** The settings of a site. By default its zone is UTC, so that no test depends on the machine's, and its weighting A. */
export function settingsOf(site: Partial<Site> = {}): Partial<StationSettings> {
  return {
    place_name: site.name ?? null,
    time_zone: site.timeZone ?? 'UTC',
    limits: limitsText(site.limits ?? []),
    calibration_offset_db: site.calibrationOffsetDb ?? null,
    assess: site.assess ?? null,
    uncertainty_db: site.uncertaintyDb ?? null,
    min_measured_percent: site.minMeasuredPercent ?? null,
    weighting: site.weighting === undefined ? 'A' : site.weighting,
    measurement: site.measurement ?? null,
  };
}

/** Creates a station without points, on any engine. */
export async function makeStation(
  { url, db }: Pick<TestDatabase, 'url' | 'db'>,
  name: string,
  made: Partial<StationSettings> = settingsOf(),
): Promise<void> {
  if (url !== undefined) return migrate({ url, station: { name, made }, rawRetention: 'off' });
  await db.transaction(async ({ run }) => {
    await run(`create schema ${name}; set local search_path = ${name}`);
    await applyMigrations((text) => run(text), name);
    await setStation(queriesOf(run), made);
    await run(`update audio_data_refreshes set raw_retention = 'off'`, []);
  });
}

/** Marks the names of tables, as statements of the service do. */
const marked = (text: string) => text.replace(/(?<![\w."])audio_data\w*(?![\w.])/g, '"@station".$&');

/** Creates a station. @returns its database, whose `sql` finds the station's tables */
export async function asStation(
  database: TestDatabase,
  name: string,
  site?: Partial<Site>,
): Promise<TestDatabase> {
  await makeStation(database, name, settingsOf(site));
  const missing = () => new Error(`The station ${name} is gone`);
  const db = inSchema(database.db, name, missing);
  if (database.url !== undefined) await database.sql(`set search_path = ${name}`); // the owner's session
  const owner = database.url === undefined && inSchema({ ...database.db, run: database.sql }, name, missing);
  return {
    ...database,
    ...(owner && { sql: (text, values) => owner.run(marked(text), values) }),
    db,
    rollups: createRollups(db),
  };
}

/** Creates stations as `npm run station` does. @param variables the configuration, which names the database */
export async function addStations(
  variables: Record<string, string>,
  stations: Readonly<Record<string, GivenSettings>>,
): Promise<void> {
  for (const [name, made] of Object.entries(stations))
    await makeByCommand(environmentOf(variables).environment, name, { raw_retention: 'off', ...made });
}

/** Tells readers of the list on which server each station is now, as a cluster of Citus does. */
export const placed = (db: Database, servers: Readonly<Record<string, string>>): Database => ({
  ...db,
  query: async <Row>(statement: Statement<Row>, ...rest: [Values?, AbortSignal?]) => {
    if (statement.label === 'servers')
      return Object.entries(servers).map(([name, server]) => ({ name, server }) as Row);
    const rows = await db.query(statement, ...rest);
    return statement.name === 'stations' ? rows.map((row) => ({ ...row, has_servers: true })) : rows;
  },
});
