// Grants the role of the service what it reads, and nothing else.
import pg from 'pg';

/**
 * @param views may be read too, where they exist
 * @param calls functions that may be called, where they exist: a SQL array of their signatures
 * @throws an Error naming READER_ROLE when there is no such role
 */
export async function grantReader(
  client: pg.Client,
  role: string,
  views: readonly string[],
  calls: string,
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
  const { rows: found } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [views],
  );
  for (const { name } of found) await client.query(`grant select on ${schema}.${name} to ${grantee}`);
  // only a superuser may grant an extension's function: the service says which it may not call
  const { rows: functions } = await client.query<{ signature: string }>(
    `select pg_proc.oid::regprocedure::text as signature
     from unnest(${calls}) as name join pg_proc on pg_proc.oid = to_regprocedure(name)
     where has_function_privilege(pg_proc.oid, 'execute with grant option')`,
  );
  for (const { signature } of functions)
    await client.query(`grant execute on function ${signature} to ${grantee}`);
  const { rows: schemas } = await client.query<{ name: string }>(
    `select distinct quote_ident(nspname) as name
     from unnest(${calls}) as name
     join pg_proc on pg_proc.oid = to_regprocedure(name) join pg_namespace on pg_namespace.oid = pronamespace
     where has_schema_privilege(pg_namespace.oid, 'usage with grant option')`,
  );
  for (const { name } of schemas) await client.query(`grant usage on schema ${name} to ${grantee}`);
}
