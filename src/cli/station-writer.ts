// Provides a server role for a recorder in a public place. The role can store points in one station and sees no other.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../db/database.ts';

/** Grants a role the rights on a station. Creates a missing role, and prints its password once. */
export async function provideWriter(
  db: Database,
  station: string,
  role: string,
  print: (line: string) => void,
): Promise<void> {
  const [schema, writer] = [station, role].map(pg.escapeIdentifier);
  const password = await db.transaction(async ({ run }) => {
    const found = await run('select from pg_roles where rolname = $1', [role]);
    const made = found.length === 0 ? randomBytes(24).toString('base64url') : undefined;
    if (made !== undefined) await run(`create role ${writer} login password '${made}'`);
    await run(`
      grant usage on schema ${schema} to ${writer};
      grant select on all tables in schema ${schema} to ${writer};
      grant insert on ${schema}.audio_data to ${writer};
      grant insert, update on ${schema}.audio_data_spools to ${writer};
      grant insert, update, delete
        on ${schema}.audio_data_periods, ${schema}.audio_data_overload, ${schema}.audio_data_clock to ${writer};
      grant insert on ${schema}.audio_data_calibrations to ${writer}`);
    return made;
  });
  if (password === undefined) return;
  process.stderr.write(`Created the role ${role}. This is its password, shown only once:\n\n`);
  print(password);
}
