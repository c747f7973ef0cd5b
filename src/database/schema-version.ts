// The version of the schema: the migrations of this release, and whether a database has them all.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { identifier, readMigrationFiles } from './drizzle.ts';
import { NotMigrated } from './faults.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url));

const Journal = z.object({ entries: z.array(z.object({ when: z.number() })) });

/** The schema that lists the migrations of the default station. Another station's schema lists its own. */
export const DEFAULT_JOURNAL = 'drizzle';

/** @returns SQL that reads the creation time of the newest migration in a journal */
export const newestAppliedIn = (journal: string) =>
  `select max(created_at) as newest from ${identifier(journal)}.__drizzle_migrations`;

/** @returns the creation time of this release's newest migration, in milliseconds since 1970 */
export function newestMigration(): number {
  const journal = Journal.parse(JSON.parse(readFileSync(`${MIGRATIONS_FOLDER}/meta/_journal.json`, 'utf8')));
  return Math.max(...journal.entries.map((entry) => entry.when));
}

/** The newest migration of the oldest schema that this version migrates: 0006_overload_exclusions. */
const OLDEST = 1_795_710_006_000;

/** The last commit that reads older databases, spools and backups. */
export const LAST_FOR_OLDER = '4c91cf3bd982';

/** @param applied of {@link newestAppliedIn}. @throws Error with the commit to migrate with, if it is too old */
export function assertMigratable(applied: unknown): void {
  if (applied !== null && Number(applied) < OLDEST)
    throw new Error(
      `The schema is too old for this version: first migrate with commit ${LAST_FOR_OLDER}, the last that can`,
    );
}

/**
 * @param applied the result of {@link newestAppliedIn}
 * @param what the subject of the message: the database or one of its stations
 * @throws SERVICE_UNAVAILABLE if the database is older than `needed`. A newer database is fine: a new release migrates
 *   while the old one still serves.
 */
export function assertMigrated(applied: unknown, needed: number, what = 'The database'): void {
  if (applied !== null && Number(applied) >= needed) return;
  const state = applied === null ? 'has no schema' : 'has the schema of an older version';
  throw new NotMigrated(`${what} ${state}`);
}

/**
 * Applies the missing migrations. The caller provides the transaction and its `search_path`.
 *
 * @param run runs one or more statements, and returns the rows of the last
 * @param journal the schema that lists the applied migrations
 * @param prepare called before the first missing migration
 * @throws Error if the schema is too old
 */
export async function applyMigrations(
  run: (text: string) => Promise<readonly { newest?: unknown }[]>,
  journal: string,
  prepare?: () => Promise<void>,
): Promise<void> {
  const schema = identifier(journal);
  await run(`create schema if not exists ${schema};
    create table if not exists ${schema}.__drizzle_migrations (
      id serial primary key, hash text not null, created_at bigint)`);
  const [row] = await run(newestAppliedIn(journal));
  assertMigratable(row?.newest ?? null);
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const missing = migrations.filter(({ folderMillis }) => Number(row?.newest ?? 0) < folderMillis);
  if (missing.length > 0) await prepare?.();
  for (const { sql, hash, folderMillis } of missing) {
    for (const text of sql) await run(text);
    await run(
      `insert into ${schema}.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis})`,
    );
  }
}
