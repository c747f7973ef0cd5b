// Reads how the points are stored and, if the role may, for how long.
import type { InfoOutput } from '../operations/service/contract.ts';
import type { Database } from './database.ts';
import { compile, sql } from './drizzle.ts';
import { tables } from './schema.ts';

interface Software {
  server: string;
  embedded: boolean;
  /** The version of TimescaleDB; null if this database does not have it. */
  timescaledb: string | null;
  layout: InfoOutput['layout'];
  /** Whether the role may read the points' retention. */
  hasPoints: boolean;
  hasMinutes: boolean;
}

interface Kept {
  readonly kept: string | null;
}

const SOFTWARE = compile(sql<Software>`
  select split_part(current_setting('server_version'), ' ', 1) as server, version() like '%(PGlite %' as embedded,
    (select extversion from pg_extension where extname = 'timescaledb') as timescaledb,
    -- a trigger that only a hypertable has
    case when exists (select from pg_trigger where tgrelid = to_regclass('${tables.points}') and tgname like '%note\\_wait')
      then 'hypertable' else 'plain' end as layout,
    coalesce(has_table_privilege(to_regclass('${tables.refreshes}'), 'select'), false) as "hasPoints",
    coalesce(has_table_privilege(to_regclass('timescaledb_information.jobs'), 'select'), false) as "hasMinutes"`);
const POINTS = compile(sql<Kept>`
  select nullif(raw_retention, 'off')::interval::text as kept from ${tables.refreshes}`);
const HISTORY = compile(sql<Kept>`
  select nullif(history_retention, 'off')::interval::text as kept from ${tables.refreshes}`);
const MINUTES = compile(sql<Kept>`
  select (config ->> 'drop_after')::interval::text as kept from timescaledb_information.jobs
  where to_regclass(format('%I.%I', hypertable_schema, hypertable_name)) = to_regclass('${tables.minutes}')
    and proc_name = 'policy_retention' and scheduled`);

export async function layoutAndRetention(
  db: Database,
): Promise<
  Pick<InfoOutput, 'database' | 'layout' | 'raw_retention' | 'history_retention' | 'aggregate_retention'>
> {
  const [software] = await db.query(SOFTWARE);
  if (!software) throw new Error('The database does not report its version');
  const { server, embedded, timescaledb, layout, hasPoints, hasMinutes } = software;
  const kept = async (statement: typeof POINTS) => (await db.query(statement))[0]?.kept ?? null;
  const postgres = `PostgreSQL ${server}`;
  return {
    database: embedded
      ? `PGlite (${postgres})`
      : `${postgres}${timescaledb === null ? '' : `, TimescaleDB ${timescaledb}`}`,
    layout,
    raw_retention: hasPoints ? await kept(POINTS) : null,
    history_retention: hasPoints ? await kept(HISTORY) : null,
    aggregate_retention: hasMinutes ? await kept(MINUTES) : null,
  };
}
