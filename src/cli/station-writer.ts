// Provides a server role for a recorder in a public place. The role can store points in one station and sees no other.
import { randomBytes } from 'node:crypto';
import { DEFAULT_STATION } from '../contract/station.ts';
import type { Database } from '../database/database.ts';
import { grantWriter } from '../database/grant-rights.ts';
import { identifier } from '../database/identifier.ts';
import { DEFAULT_JOURNAL } from '../database/schema-version.ts';

/** Grants a role the rights on a station. Creates a missing role, and prints its password once. */
export async function provideWriter(
  db: Database,
  station: string,
  role: string,
  print: (line: string) => void,
): Promise<void> {
  const password = await db.transaction(async ({ run }) => {
    const found = await run('select from pg_roles where rolname = $1', [role]);
    const made = found.length === 0 ? randomBytes(24).toString('base64url') : undefined;
    if (made !== undefined) await run(`create role ${identifier(role)} login password '${made}'`);
    const [at] = await run<{ schema: string }>('select current_schema() as schema', []);
    const own = { schema: at?.schema ?? '', journal: DEFAULT_JOURNAL };
    const where = station === DEFAULT_STATION ? own : { schema: station, journal: station };
    await grantWriter(run, role, where);
    return made;
  });
  if (password === undefined) return;
  process.stderr.write(`Created the role ${role}. This is its password, shown only once:\n\n`);
  print(password);
}
