// Grants roles that store points all rights that a recorder needs.
import type { RunStatement } from './database.ts';
import { identifier } from './identifier.ts';
import { MIGRATIONS, RIGHTS_ON_TABLES } from './missing-rights.ts';

/**
 * @param role a role, or `public`
 * @param schema the schema of the tables
 * @param journal the schema that lists the migrations
 */
export async function grantWriter(
  run: RunStatement,
  role: string,
  schema: string,
  journal: string,
): Promise<void> {
  const writer = identifier(role);
  await run(`grant usage on schema ${identifier(schema)}, ${identifier(journal)} to ${writer}`);
  for (const [table, rights] of RIGHTS_ON_TABLES.store)
    await run(
      `grant ${rights} on ${identifier(table === MIGRATIONS ? journal : schema)}.${table} to ${writer}`,
    );
}

/** @returns the roles that may insert into `audio_data`, apart from its owner */
export async function writersOf(run: RunStatement): Promise<string[]> {
  const rows = await run<{ role: string }>(
    `select distinct case grantee when 0 then 'public' else pg_get_userbyid(grantee) end as role
     from pg_class, aclexplode(relacl)
     where pg_class.oid = 'audio_data'::regclass and privilege_type = 'INSERT' and grantee <> relowner`,
  );
  return rows.map(({ role }) => role);
}
