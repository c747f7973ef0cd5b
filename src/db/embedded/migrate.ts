// Brings the schema of the embedded database up to date.
import { migrateOverProxy, overProxy } from '../drizzle.ts';
import { MIGRATIONS_FOLDER } from '../schema-version.ts';
import type { Engine } from './engine.ts';

/** Applies the migrations that it lacks, all or none. */
export async function migrateEmbedded({ ask }: Pick<Engine, 'ask'>): Promise<void> {
  const db = overProxy((text, values) => ask({ kind: 'query', text, values }));
  const apply = async (statements: string[]) => {
    const text = statements.join(';\n'); // one script is one transaction
    if (statements.length > 0) await ask({ kind: 'script', text });
  };
  await migrateOverProxy(db, apply, { migrationsFolder: MIGRATIONS_FOLDER });
}
