// Brings the tables of one schema up to date. Drizzle's migrators take a schema and a table for their list, but they
// cannot share one transaction with the extension, the lock and the grants.
import { readMigrationFiles } from './drizzle.ts';
import { identifier } from './identifier.ts';
import { assertMigratable, MIGRATIONS_FOLDER, newestAppliedIn } from './schema-version.ts';

/**
 * Applies the missing migrations. The caller provides the transaction and its `search_path`.
 *
 * @param run runs one or more statements, and returns the rows of the last
 * @param journal the schema that lists the applied migrations
 * @throws Error if the schema is too old
 */
export async function applyMigrations(
  run: (text: string) => Promise<readonly { newest?: unknown }[]>,
  journal: string,
): Promise<void> {
  const schema = identifier(journal);
  await run(`create schema if not exists ${schema};
    create table if not exists ${schema}.__drizzle_migrations (
      id serial primary key, hash text not null, created_at bigint)`);
  const [row] = await run(newestAppliedIn(journal));
  assertMigratable(row?.newest ?? null);
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER })) {
    if (Number(row?.newest ?? 0) >= folderMillis) continue;
    for (const text of sql) await run(text);
    await run(
      `insert into ${schema}.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis})`,
    );
  }
}
