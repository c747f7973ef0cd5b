// The role that the service runs under: it reads, and can do nothing else.
import pg from 'pg';

/**
 * @param views what it may read too, where it exists
 * @param calls the functions that it may call, where they exist
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
  // also the migrations: they tell the service whether it has the schema that it needs
  await client.query(
    `grant select on ${schema}.audio_data, ${schema}.audio_data_1min, drizzle.__drizzle_migrations to ${grantee}`,
  );
  const { rows: found } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [views],
  );
  for (const { name } of found) await client.query(`grant select on ${schema}.${name} to ${grantee}`);
  // an extension's function may be the superuser's alone to grant: the service says where it may not call one
  const { rows: functions } = await client.query<{ signature: string }>(
    `select to_regprocedure(name)::text as signature from unnest($1::text[]) as name
     where not has_function_privilege($2, to_regprocedure(name), 'execute')
       and has_function_privilege(to_regprocedure(name), 'execute with grant option')`,
    [calls, role],
  );
  for (const { signature } of functions)
    await client.query(`grant execute on function ${signature} to ${grantee}`);
}
