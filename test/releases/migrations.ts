// The migrations of this version, and databases with only the first of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER } from '../../src/database/schema-version.ts';

/** How many migrations the oldest schema has that this version migrates. */
export const OLDEST = 7;

/** An entry of Drizzle's journal. */
interface Migration {
  readonly tag: string;
  readonly when: number;
}

/** Oldest first. */
export function migrations(): Migration[] {
  const { entries }: { entries: Migration[] } = JSON.parse(
    readFileSync(join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8'),
  );
  return entries;
}

/** Applies the first migrations to an empty database. @param run runs one or more statements */
export async function applyFirst(count: number, run: (text: string) => Promise<unknown>): Promise<void> {
  await run(`begin; create schema drizzle; create table drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`);
  for (const { tag, when } of migrations().slice(0, count)) {
    await run(readFileSync(join(MIGRATIONS_FOLDER, `${tag}.sql`), 'utf8'));
    await run(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('${tag}', ${when})`);
  }
  await run('commit');
}
