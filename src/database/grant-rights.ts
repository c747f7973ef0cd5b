// Grants roles all rights that they need to read or to store points, and finds the roles that have them.
import type { RunStatement } from './database.ts';
import { identifier } from './drizzle.ts';
import { MIGRATIONS, RIGHTS_ON_TABLES } from './missing-rights.ts';
import { ROLLUP_FUNCTIONS, ROLLUP_RELATIONS } from './rollups.ts';

/** Grants rights on the tables of the current schema, and on the list of migrations in the schema `journal`. */
async function grant(run: RunStatement, role: string, purpose: 'read' | 'store', journal: string) {
  const grantee = identifier(role);
  const [at] = await run<{ schema: string }>('select current_schema() as schema', []);
  await run(`grant usage on schema ${identifier(at?.schema ?? '')}, ${identifier(journal)} to ${grantee}`);
  for (const [table, rights] of RIGHTS_ON_TABLES[purpose]) {
    const name = table === MIGRATIONS ? `${identifier(journal)}.${MIGRATIONS}` : table;
    await run(`grant ${rights} on ${name} to ${grantee}`);
  }
}

/** @throws an Error that names READER_ROLE if there is no such role */
export async function grantReader(run: RunStatement, role: string, journal: string): Promise<void> {
  if ((await run('select from pg_roles where rolname = $1', [role])).length === 0)
    throw new Error(`READER_ROLE is '${role}', but the server has no such role: create it first`);
  await grant(run, role, 'read', journal);
  await run(`grant select on ${ROLLUP_RELATIONS} to ${identifier(role)}`);
  await run(`grant execute on function ${ROLLUP_FUNCTIONS} to ${identifier(role)}`);
}

/** @param role a role, or `public` */
export const grantWriter = (run: RunStatement, role: string, journal: string) =>
  grant(run, role, 'store', journal);

/** @throws Error if there is no such table */
async function rolesWith(run: RunStatement, right: string, table: string): Promise<string[]> {
  const rows = await run<{ role: string }>(
    `select distinct case grantee when 0 then 'public' else pg_get_userbyid(grantee) end as role
     from pg_class, aclexplode(relacl)
     where pg_class.oid = $1::text::regclass and privilege_type = $2 and grantee <> relowner`,
    [table, right],
  );
  return rows.map(({ role }) => role);
}

/** @returns the roles of services: those that may read the rollups of this schema */
export const readersOf = async (run: RunStatement) =>
  (await rolesWith(run, 'SELECT', 'audio_data_totals')).filter((role) => role !== 'public');

/** @returns the roles that may insert into `audio_data`, apart from its owner */
export const writersOf = (run: RunStatement) => rolesWith(run, 'INSERT', 'audio_data');
