// The role of services: revokes from PUBLIC the rights that would let it write, and sets what its sessions start with.
import type pg from 'pg';
import type { Log } from './database.ts';
import { identifier } from './drizzle.ts';
import { isMissingRight } from './missing-rights.ts';
import { QUERY_SETTINGS } from './session.ts';

/**
 * The rights of PUBLIC that allow changes, in the syntax of GRANT and REVOKE: defaults of PostgreSQL and TimescaleDB,
 * and EXECUTE on our security definer functions. Triggers need no such right: they fire for any writing role.
 */
const PUBLIC_RIGHTS = `
  with objects (right_of, object, acl, is_of_schema) as (
    select 'temporary', format('database %I', datname), coalesce(datacl, acldefault('d', datdba)), false
      from pg_database where datname = current_database()
    union all
    select 'create', format('schema %I', nspname), coalesce(nspacl, acldefault('n', nspowner)), true
      from pg_namespace where nspname = current_schema()
    union all
    select 'execute', format('function %s', oid::regprocedure), coalesce(proacl, acldefault('f', proowner)),
        pronamespace = current_schema()::regnamespace
      from pg_proc
      where proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message')
          and pronamespace = 'pg_catalog'::regnamespace
        or proname like 'audio\\_data\\_%' and prosecdef and pronamespace = current_schema()::regnamespace
        or proname = 'add_job' and exists (
          select from pg_depend join pg_extension on pg_extension.oid = refobjid
          where objid = pg_proc.oid and classid = 'pg_proc'::regclass and deptype = 'e' and extname = 'timescaledb')
  )
  select array_agg(format('%s on %s', right_of, object) order by object) as rights
    from objects
    where (is_of_schema or $1) and exists (select from aclexplode(acl) where grantee = 0 and privilege_type = upper(right_of))`;
const OWNER = `
  select rolname as name from pg_roles join pg_class on relowner = pg_roles.oid
   where pg_class.oid = 'audio_data'::regclass and not rolsuper`;

/**
 * Revokes from PUBLIC the rights that let the reader write, and grants them to the owner of the points, who may need
 * them. Logs what it revoked, and the SQL that only a superuser can run.
 *
 * @param isWhole whether to revoke rights on the whole database, not only on the current schema
 */
export async function restrictReader(client: pg.Client, role: string, log: Log, isWhole: boolean) {
  const rights = await publicRights(client, isWhole);
  const { rows } = await client.query<{ name: string }>(OWNER);
  const changes = rights.map((right) => {
    const [owner] = rows;
    const grant = owner ? `grant ${right} to ${identifier(owner.name)}; ` : '';
    return { right, sql: `${grant}revoke ${right} from public` };
  });
  for (const { sql } of changes) await isAllowed(client, sql); // without the right to revoke, PostgreSQL may only warn
  const left = await publicRights(client, isWhole);
  const isLeft = ({ right }: { right: string }) => left.includes(right);
  const taken = changes.filter((change) => !isLeft(change));
  if (taken.length > 0)
    log.info(
      {},
      `Revoked from PUBLIC, and so from ${role}: ${taken.map(({ right }) => right).join(', ')}. GRANT these rights to other roles that need them`,
    );
  if (left.length === 0) return;
  log.warn(
    {},
    `${role} can do more than read, because PUBLIC can. To revoke that, run the SQL that LOG_LEVEL=debug prints, as a superuser`,
  );
  for (const { sql } of changes.filter(isLeft)) log.debug?.({}, `${sql};`);
}

async function publicRights(client: pg.Client, isWhole: boolean): Promise<string[]> {
  const { rows } = await client.query<{ rights: string[] | null }>(PUBLIC_RIGHTS, [isWhole]);
  return rows[0]?.rights ?? [];
}

/**
 * Gives the role the settings of queries in this database, so that all its sessions plan alike, even those that a
 * pooler opens. Does not change settings that the role already has.
 *
 * @returns a line for the log: what changed, or who may change it
 */
export async function setReaderSettings(client: pg.Client, role: string, log: Log): Promise<string> {
  const { rows } = await client.query<{ database: string; owner: string; present: string[] }>(
    `select current_database() as database, current_user as owner, array(
       select lower(split_part(setting, '=', 1))
       from pg_db_role_setting
       join pg_database on pg_database.oid = setdatabase
       join pg_roles on pg_roles.oid = setrole, unnest(setconfig) as setting
       where datname = current_database() and rolname = $1) as present`,
    [role],
  );
  const { database = '', owner, present = [] } = rows[0] ?? {};
  if (owner === role) return `The sessions of ${role} stay as they are, because ${role} is the owner`;
  const missing = Object.entries(QUERY_SETTINGS).filter(([name]) => !present.includes(name));
  if (missing.length === 0) return `The sessions of ${role} have their settings`;
  const where = `role ${identifier(role)} in database ${identifier(database)}`;
  const changes = missing.map(([name, value]) => `alter ${where} set ${name} = '${value}';`);
  if (await isAllowed(client, changes.join(' ')))
    return `The sessions of ${role} begin with ${missing.map((setting) => setting.join(' = ')).join(', ')}`;
  for (const change of changes) log.debug?.({}, change);
  return `The sessions of ${role} keep their settings, because ${owner} may not alter that role. The service sets its own; for psql, run the SQL that LOG_LEVEL=debug prints, as ${role}`;
}

/** Runs statements in a transaction. @returns false if this role may not, and nothing was changed */
async function isAllowed(client: pg.Client, statements: string): Promise<boolean> {
  await client.query('savepoint attempt');
  try {
    await client.query(statements);
    return true;
  } catch (error) {
    if (!isMissingRight(error)) throw error;
    await client.query('rollback to attempt');
    return false;
  }
}
