// Revokes from PUBLIC the rights that would let a read-only role write.
import pg from 'pg';
import { identifier } from './identifier.ts';
import type { Log } from './log.ts';
import { MISSING_RIGHT } from './missing-rights.ts';

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
export async function restrictReader(
  client: pg.Client,
  role: string,
  log: Log,
  isWhole: boolean,
): Promise<void> {
  const rights = await publicRights(client, isWhole);
  const { rows } = await client.query<{ name: string }>(OWNER);
  const changes = rights.map((right) => {
    const [owner] = rows;
    const grant = owner ? `grant ${right} to ${identifier(owner.name)}; ` : '';
    return { right, sql: `${grant}revoke ${right} from public` };
  });
  for (const { sql } of changes) {
    await client.query('savepoint restrict_reader');
    try {
      await client.query(sql); // without the right to revoke, PostgreSQL may only warn
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === MISSING_RIGHT)) throw error;
      await client.query('rollback to restrict_reader');
    }
  }
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
