// Names the rights that a role lacks, with the statements that grant them.
import type pg from 'pg';
import { identifier } from './drizzle.ts';
import { codeOf } from './faults.ts';

/** PostgreSQL's insufficient_privilege. */
export const isMissingRight = (error: unknown): error is Error =>
  error instanceof Error && codeOf(error) === '42501';

export type Purpose = 'migrate' | 'read' | 'store' | 'replace';

/** The table that lists the applied migrations, in a schema of its own for the default station. */
export const MIGRATIONS = '__drizzle_migrations';

const READ = [
  ['audio_data', 'select'],
  ['audio_data_1min', 'select'],
  ['audio_data_periods', 'select'],
  ['audio_data_overload', 'select'],
  ['audio_data_exclusions', 'select'],
  ['audio_data_calibrations', 'select'],
  ['audio_data_station', 'select'],
  ['audio_data_history', 'select'],
  [MIGRATIONS, 'select'],
] as const;
const STORE = [
  ['audio_data_refreshes', 'select'],
  ['audio_data', 'insert'],
  ['audio_data_spools', 'select, insert, update'],
  ['audio_data_periods', 'insert, update, delete'],
  ['audio_data_overload', 'insert, update, delete'],
  ['audio_data_calibrations', 'insert'],
] as const;

export const RIGHTS_ON_TABLES: Readonly<Record<Purpose, readonly (readonly [string, string])[]>> = {
  migrate: [],
  read: READ,
  store: [...READ, ...STORE],
  replace: [...READ, ...STORE, ['audio_data', 'delete'], ['audio_data_history', 'insert, delete']],
};

/** Read from the catalog: error messages may be in any language and name only one right. */
const MISSING = `
  with schemas as (
    select oid, nspname as name from pg_namespace
    where nspname in ('drizzle', coalesce($4, current_schema(), 'public'))
  ), relations as (
    select pg_class.oid, format('%I.%I', schemas.name, relname) as name, relname, relowner
    from pg_class join schemas on schemas.oid = relnamespace
    where relkind in ('r', 'v', 'p') and (relname like 'audio\\_data%' or relname = '__drizzle_migrations')
  ), wanted as (
    select * from unnest($1::text[], $2::text[]) as wanted (relname, rights)
  ), missing (step, statement) as (
    select 1, format('grant create on database %I to %I', current_database(), current_user)
      where $3 and to_regnamespace('drizzle') is null and not has_database_privilege(current_database(), 'create')
    union all
    select 2, format('grant %s on schema %I to %I', rights, name, current_user)
      from schemas cross join (select case when $3 then 'usage, create' else 'usage' end) as needed (rights)
      where not has_schema_privilege(oid, 'usage') or $3 and not has_schema_privilege(oid, 'create')
    union all
    select 3, format('grant %s on %s to %I', string_agg(lacking, ', '), name, current_user)
      from relations join wanted using (relname), regexp_split_to_table(rights, ', ') as lacking
      where not has_table_privilege(oid, lacking)
      group by name
  )
  select array(select statement from missing order by step, statement) as statements,
    (select rolname from relations join pg_roles on pg_roles.oid = relowner
      where $3 and not pg_has_role(relowner, 'usage') order by name limit 1) as owner,
    (select bool_and(case relname when 'audio_data' then not has_table_privilege(oid, 'insert')
        else has_table_privilege(oid, 'select') end)
      from relations where relname in ('audio_data', 'audio_data_totals')) as "isReader",
    current_user as role`;

interface Missing {
  readonly statements: readonly string[];
  /** The owner of the tables, if the role lacks the rights of an owner. */
  readonly owner: string | null;
  /** Whether the role may read the rollups, as services do, but not store points. */
  readonly isReader: boolean | null;
  readonly role: string;
}

/**
 * Rolls the client's transaction back if a right is missing.
 *
 * @param schema the schema of the tables. By default that of the connection
 * @returns the fault; if a right is missing, with the statements that grant it
 */
export async function withRights(
  error: unknown,
  client: pg.Client,
  purpose: Purpose,
  schema: string | null = null,
): Promise<unknown> {
  if (!isMissingRight(error)) return error;
  const isConnected = 'severity' in error && error.severity !== 'FATAL';
  const advice = isConnected
    ? await adviceOf(client, purpose, schema).catch(() => undefined)
    : connectRight(client);
  return advice === undefined ? error : new Error(`${error.message}. ${advice}`);
}

/** @returns the fault of a missing right with its usual remedy; any other fault unchanged */
export function withRemedy(error: unknown): unknown {
  if (!isMissingRight(error)) return error;
  return new Error(
    `${error.message}. Run \`npm run migrate\`: it grants writers, and the role in READER_ROLE, all rights that they need`,
  );
}

/** The server ends the connection if the role may not use the database. */
const connectRight = ({ database = '', user = '' }: pg.Client): string =>
  `As the owner of the database, run: grant connect on database ${identifier(database)} to ${identifier(user)};`;

async function adviceOf(client: pg.Client, purpose: Purpose, schema: string | null) {
  await client.query('rollback');
  const wanted = RIGHTS_ON_TABLES[purpose];
  const { rows } = await client.query<Missing>(MISSING, [
    wanted.map(([name]) => name),
    wanted.map(([, rights]) => rights),
    purpose === 'migrate',
    schema,
  ]);
  const { statements = [], owner = null, isReader = false, role = '' } = rows[0] ?? {};
  if (owner !== null) return `The tables belong to ${owner}: migrate as ${owner}, not as ${role}`;
  if (statements.length === 0) return undefined;
  if (isReader && purpose !== 'read')
    return `The role ${role} only reads. Run this as the owner of the tables: set DATABASE_URL to the owner's URL, or for \`restore\` MIGRATION_DATABASE_URL`;
  const sql = `${statements.join('; ')};`;
  if (purpose !== 'read') return `As the owner of the database, run: ${sql}`;
  return `Run \`npm run migrate\` with READER_ROLE=${role}, which grants every right that the service needs; or, as the owner of the tables, run: ${sql}`;
}
