// Reads what the points are stored in, and for how long, as far as any role may know it.
import type { InfoOutput } from '../contract/service.ts';
import type { Database, Statement } from '../db/database.ts';

interface Software {
  server: string;
  embedded: boolean;
  /** Its version; null if this database does not have it. */
  timescaledb: string | null;
  /** Whether this role may read how long a plain table keeps points. */
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

const plainRetention: Statement = {
  name: 'plain_retention',
  text: `
    select nullif(raw_retention, 'off')::interval::text as raw_retention, null as aggregate_retention
    from audio_data_refreshes`,
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
  const none = { raw_retention: null, aggregate_retention: null };
  const plain = async (database: string) => {
    const [retention] = told ? await db.query<Retention>(plainRetention) : [];
    return { database, layout: 'plain', ...none, ...retention } as const;
  };
  if (timescaledb === null) return plain(embedded ? `PGlite (${postgres})` : postgres);
  const database = `${postgres}, TimescaleDB ${timescaledb}`;
  const [found] = await db.query<{ found: boolean; jobs: boolean }>(hypertable);
  if (!found?.found) return plain(database);
  const [retention] = found.jobs ? await db.query<Retention>(retentions) : [];
  return { database, layout: 'hypertable', ...none, ...retention };
}
