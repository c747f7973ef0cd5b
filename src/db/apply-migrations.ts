// Brings the tables of one schema up to date, as Drizzle's migrators do, which keep one list of migrations a database.
import { readMigrationFiles } from './drizzle.ts';
import { MIGRATIONS_FOLDER, newestAppliedIn } from './schema-version.ts';

/**
 * Applies the migrations that are missing. The transaction and its `search_path` are the caller's.
 *
 * @param run runs SQL, several statements too; gives the rows of the last
 * @param journal the schema that lists the migrations that were applied, as SQL
 */
export async function applyMigrations(
  run: (text: string) => Promise<readonly { newest?: unknown }[]>,
  journal: string,
): Promise<void> {
  await run(`create schema if not exists ${journal};
    create table if not exists ${journal}.__drizzle_migrations (
      id serial primary key, hash text not null, created_at bigint)`);
  const [row] = await run(newestAppliedIn(journal));
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER })) {
    if (Number(row?.newest ?? 0) >= folderMillis) continue;
    for (const text of sql) await run(text);
    await run(
      `insert into ${journal}.__drizzle_migrations (hash, created_at) values ('${hash}', ${folderMillis})`,
    );
  }
}
