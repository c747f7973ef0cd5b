// Brings a database's schema up to date.
import type { PGlite } from '@electric-sql/pglite';
import { drizzle as drizzleServer } from 'drizzle-orm/node-postgres';
import { migrate as migrateServer } from 'drizzle-orm/node-postgres/migrator';
import { drizzle as drizzleEmbedded } from 'drizzle-orm/pglite';
import { migrate as migrateEmbedded } from 'drizzle-orm/pglite/migrator';
import pg from 'pg';
import { MIGRATIONS_FOLDER } from './migrations.ts';

/** Any number will do, as long as it stays the same. */
const LOCK = 7_281_104_223;

export async function migrate(options: { url: string }): Promise<void> {
  const client = new pg.Client({ connectionString: options.url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await migrateServer(drizzleServer(client), { migrationsFolder: MIGRATIONS_FOLDER });
  } finally {
    await client.end();
  }
}

export async function migratePglite(client: PGlite): Promise<void> {
  await migrateEmbedded(drizzleEmbedded(client), { migrationsFolder: MIGRATIONS_FOLDER });
}
