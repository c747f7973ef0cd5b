// Brings the schema of the embedded database up to date.
import { applyMigrations } from '../apply-migrations.ts';
import { DEFAULT_JOURNAL } from '../schema-version.ts';
import type { Engine } from './engine.ts';

/** Applies the migrations that it lacks, all or none. */
export async function migrateEmbedded({ ask }: Pick<Engine, 'ask'>): Promise<void> {
  await ask({ kind: 'begin' });
  try {
    await applyMigrations(
      async (text) => (await ask<object>({ kind: 'script', text })).rows,
      DEFAULT_JOURNAL,
    );
    await ask({ kind: 'commit' });
  } catch (error) {
    await ask({ kind: 'rollback' }).catch(() => {});
    throw error;
  }
}
