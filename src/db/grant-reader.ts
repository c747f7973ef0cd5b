// Grants the role of the service the rights that it needs to read, and no others.
import type pg from 'pg';
import { identifier } from './identifier.ts';

/**
 * @param journal the schema that lists the migrations
 * @param views views that the role may read too
 * @param calls signatures of functions that the role may call
 * @throws an Error that names READER_ROLE if there is no such role
 */
export async function grantReader(
  client: pg.Client,
  role: string,
  journal: string,
  views: readonly string[],
  calls: readonly string[],
): Promise<void> {
  const { rows } = await client.query(
    'select current_schema() as schema, exists (select from pg_roles where rolname = $1) as found',
    [role],
  );
  if (!rows[0].found)
    throw new Error(`READER_ROLE is '${role}', but the server has no such role: create it first`);
  const grantee = identifier(role);
  const schema = identifier(rows[0].schema);
  const list = identifier(journal);
  await client.query(`grant usage on schema ${schema}, ${list} to ${grantee}`);
  const inSchema = (names: readonly string[]) => names.map((name) => `${schema}.${name}`).join();
  const tables = inSchema([
    'audio_data',
    'audio_data_1min',
    'audio_data_periods',
    'audio_data_overload',
    'audio_data_exclusions',
    'audio_data_calibrations',
    'audio_data_station',
    ...views,
  ]);
  // and the list of migrations, which shows the service whether the schema is new enough
  await client.query(`grant select on ${tables}, ${list}.__drizzle_migrations to ${grantee}`);
  await client.query(`grant execute on function ${inSchema(calls)} to ${grantee}`);
}

/** @returns the roles of services: those that may read the rollups of this schema */
export async function readersOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ role: string }>(
    `select distinct rolname as role from pg_class, aclexplode(relacl), pg_roles
     where pg_class.oid = 'audio_data_totals'::regclass and privilege_type = 'SELECT' and grantee <> relowner
       and pg_roles.oid = grantee`,
  );
  return rows.map(({ role }) => role);
}
