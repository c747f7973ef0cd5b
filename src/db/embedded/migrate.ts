// Brings the schema of the embedded database up to date.
import { drizzle } from 'drizzle-orm/pg-proxy';
import { migrate } from 'drizzle-orm/pg-proxy/migrator';
import { MIGRATIONS_FOLDER } from '../schema-version.ts';
import type { Engine } from './engine.ts';

/** Applies the migrations that it lacks, all or none. */
export async function migrateEmbedded({ ask }: Engine): Promise<void> {
  const db = drizzle((text, values) => ask({ kind: 'query', text, values }));
  const apply = async (statements: string[]) => {
    const text = statements.join(';\n'); // one script is one transaction
    if (statements.length > 0) await ask({ kind: 'script', text });
  };
  await migrate(db, apply, { migrationsFolder: MIGRATIONS_FOLDER });
}
