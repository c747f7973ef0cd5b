// Grants the role of the service what it reads, and nothing else.
import pg from 'pg';

/**
 * @param views may be read too
 * @param calls signatures of functions that may be called
 * @throws an Error naming READER_ROLE when there is no such role
 */
export async function grantReader(
  client: pg.Client,
  role: string,
  views: readonly string[],
  calls: readonly string[],
): Promise<void> {
  const { rows } = await client.query(
    'select current_schema() as schema, exists (select from pg_roles where rolname = $1) as found',
    [role],
  );
  if (!rows[0].found)
    throw new Error(`READER_ROLE is '${role}', but the server has no such role: create it first`);
  const grantee = pg.escapeIdentifier(role);
  const schema = pg.escapeIdentifier(rows[0].schema);
  await client.query(`grant usage on schema ${schema}, drizzle to ${grantee}`);
  // and the list of migrations, by which the service knows whether the schema is new enough
  await client.query(
    `grant select on ${['audio_data', 'audio_data_1min', 'audio_data_periods'].map((name) => `${schema}.${name}`)},
       drizzle.__drizzle_migrations to ${grantee}`,
  );
  const [tables, functions] = [views, calls].map((names) => names.map((name) => `${schema}.${name}`).join());
  await client.query(`grant select on ${tables} to ${grantee}`);
  await client.query(`grant execute on function ${functions} to ${grantee}`);
}
