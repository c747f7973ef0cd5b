// Grants roles that store points all rights that a recorder needs.
import type { Run } from './database.ts';
import { MIGRATIONS, RIGHTS_ON_TABLES } from './missing-rights.ts';

/**
 * @param role an SQL identifier, or `public`
 * @param schema the schema of the tables, an SQL identifier
 * @param journal the schema that lists the migrations, an SQL identifier
 */
export async function grantWriter(run: Run, role: string, schema: string, journal: string): Promise<void> {
  await run(`grant usage on schema ${schema}, ${journal} to ${role}`);
  for (const [table, rights] of RIGHTS_ON_TABLES.store)
    await run(`grant ${rights} on ${table === MIGRATIONS ? journal : schema}.${table} to ${role}`);
}

/** @returns the roles that may insert into `audio_data`, apart from its owner, as SQL */
export async function writersOf(run: Run): Promise<string[]> {
  const rows = await run<{ role: string }>(
    `select distinct case grantee when 0 then 'public' else grantee::regrole::text end as role
     from pg_class, aclexplode(relacl)
     where pg_class.oid = 'audio_data'::regclass and privilege_type = 'INSERT' and grantee <> relowner`,
  );
  return rows.map(({ role }) => role);
}
