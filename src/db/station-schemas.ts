// The stations of a database: schemas that hold a table of their settings (drizzle/0005).
import { isStationName } from '../contract/station.ts';
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

/** What can be set of a station, beside how long its points are kept. Null if it is not known. */
export interface StationSettings {
  readonly place_name: string | null;
  readonly time_zone: string;
  /** As `LIMITS` has them; empty for none. */
  readonly limits: string;
  readonly calibration_offset_db: number | null;
}

/** Sets a station, which is whole with that. @param run finds its tables */
export async function makeStation(run: Run, settings: StationSettings): Promise<void> {
  const names = Object.keys(settings);
  await run(
    `insert into audio_data_station (${names}) values (${names.map((_, place) => `$${place + 1}`)})
     on conflict (only_row) do update set ${names.map((name) => `${name} = excluded.${name}`)}`,
    Object.values(settings),
  );
}
