// What the points are stored in, and for how long: what any role may read.
import type { Database, Statement } from '../db/database.ts';

export interface Storage {
  /** The database and its version, such as `PostgreSQL 17.11, TimescaleDB 2.29.2`. */
  readonly database: string;
  readonly layout: 'hypertable' | 'plain';
  /**
   * How long points, and minutes, are kept, as PostgreSQL writes an interval; null where nothing drops them, or
   * where this role may not know.
   */
  readonly raw_retention: string | null;
  readonly aggregate_retention: string | null;
}

interface Software {
  server: string;
  embedded: boolean;
  /** Its version; null where it is not in this database. */
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

type Kept = Pick<Storage, 'raw_retention' | 'aggregate_retention'>;

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

const kept: Statement = {
  name: 'kept',
  text: `
    select ${retentionOf('audio_data')} as raw_retention, ${retentionOf('audio_data_1min')} as aggregate_retention
    from timescaledb_information.jobs
    where hypertable_schema = current_schema() and proc_name = 'policy_retention' and scheduled`,
  parameters: [],
};

export async function storage(db: Database): Promise<Storage> {
  const [{ server, embedded, timescaledb } = NOTHING] = await db.query<Software>(software);
  const postgres = `PostgreSQL ${server}`;
  const plain = { layout: 'plain', raw_retention: null, aggregate_retention: null } as const;
  if (timescaledb === null) return { database: embedded ? `PGlite (${postgres})` : postgres, ...plain };
  const database = `${postgres}, TimescaleDB ${timescaledb}`;
  const [found] = await db.query<{ found: boolean; jobs: boolean }>(hypertable);
  if (!found?.found) return { database, ...plain };
  const [retention] = found.jobs ? await db.query<Kept>(kept) : [];
  return { database, ...plain, layout: 'hypertable', ...retention };
}

const NOTHING: Software = { server: 'of an unknown version', embedded: false, timescaledb: null };
