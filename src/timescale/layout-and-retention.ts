// Reads what the points are stored in, and for how long, as far as any role may know it.
import type { InfoOutput } from '../contract/service.ts';
import type { Database, Statement } from '../db/database.ts';

interface Software {
  server: string;
  embedded: boolean;
  /** Its version; null if this database does not have it. */
  timescaledb: string | null;
}

const software: Statement = {
  name: 'software',
  text: `
    select split_part(current_setting('server_version'), ' ', 1) as server,
      version() like '%(PGlite %' as embedded,
      (select extversion from pg_extension where extname = 'timescaledb') as timescaledb`,
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

const retentionOf = (relation: string) =>
  `max((config ->> 'drop_after')::interval) filter (where hypertable_name = '${relation}')::text`;

const retentions: Statement = {
  name: 'retentions',
  text: `
    select ${retentionOf('audio_data')} as raw_retention, ${retentionOf('audio_data_1min')} as aggregate_retention
    from timescaledb_information.jobs
    where hypertable_schema = current_schema() and proc_name = 'policy_retention' and scheduled`,
  parameters: [],
};

const NOTHING: Software = { server: 'of an unknown version', embedded: false, timescaledb: null };

export async function layoutAndRetention(
  db: Database,
): Promise<Pick<InfoOutput, 'database' | 'layout'> & Retention> {
  const [{ server, embedded, timescaledb } = NOTHING] = await db.query<Software>(software);
  const postgres = `PostgreSQL ${server}`;
  const plain = { layout: 'plain', raw_retention: null, aggregate_retention: null } as const;
  if (timescaledb === null) return { database: embedded ? `PGlite (${postgres})` : postgres, ...plain };
  const database = `${postgres}, TimescaleDB ${timescaledb}`;
  const [found] = await db.query<{ found: boolean; jobs: boolean }>(hypertable);
  if (!found?.found) return { database, ...plain };
  const [retention] = found.jobs ? await db.query<Retention>(retentions) : [];
  return { database, ...plain, layout: 'hypertable', ...retention };
}
