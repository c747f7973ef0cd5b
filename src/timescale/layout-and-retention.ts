// Reads what the points are stored in, and for how long, as far as any role may know it.
import type { InfoOutput } from '../contract/service.ts';
import type { Database, Statement } from '../db/database.ts';

interface Software {
  server: string;
  embedded: boolean;
  /** Its version; null if this database does not have it. */
  timescaledb: string | null;
  /** Whether this role may read how long points are kept. */
  told: boolean;
}

const software: Statement = {
  name: 'software',
  text: `
    select split_part(current_setting('server_version'), ' ', 1) as server,
      version() like '%(PGlite %' as embedded,
      (select extversion from pg_extension where extname = 'timescaledb') as timescaledb,
      coalesce(has_table_privilege(to_regclass('audio_data_refreshes'), 'select'), false) as told`,
  parameters: [],
};

type Retention = Pick<InfoOutput, 'raw_retention' | 'aggregate_retention'>;

const hypertable: Statement = {
  name: 'hypertable',
  text: `
    select exists (
        select from timescaledb_information.dimensions
        where hypertable_schema = current_schema() and hypertable_name = 'audio_data'
      ) as found,
      has_table_privilege('timescaledb_information.jobs', 'select') as jobs`,
  parameters: [],
};

const minutesRetention: Statement = {
  name: 'minutes_retention',
  text: `
    select max((config ->> 'drop_after')::interval)::text as aggregate_retention
    from timescaledb_information.jobs
    where hypertable_schema = current_schema() and hypertable_name = 'audio_data_1min'
      and proc_name = 'policy_retention' and scheduled`,
  parameters: [],
};

const rawRetention: Statement = {
  name: 'raw_retention',
  text: `select nullif(raw_retention, 'off')::interval::text as raw_retention from audio_data_refreshes`,
  parameters: [],
};

export async function layoutAndRetention(
  db: Database,
): Promise<Pick<InfoOutput, 'database' | 'layout'> & Retention> {
  const [known] = await db.query<Software>(software);
  const {
    server = 'of an unknown version',
    embedded = false,
    timescaledb = null,
    told = false,
  } = known ?? {};
  const postgres = `PostgreSQL ${server}`;
  const [raw] = told ? await db.query<Partial<Retention>>(rawRetention) : [];
  const none = { raw_retention: null, aggregate_retention: null, ...raw };
  if (timescaledb === null)
    return { database: embedded ? `PGlite (${postgres})` : postgres, layout: 'plain', ...none };
  const database = `${postgres}, TimescaleDB ${timescaledb}`;
  const [found] = await db.query<{ found: boolean; jobs: boolean }>(hypertable);
  if (!found?.found) return { database, layout: 'plain', ...none };
  const [minutes] = found.jobs ? await db.query<Partial<Retention>>(minutesRetention) : [];
  return { database, layout: 'hypertable', ...none, ...minutes };
}
