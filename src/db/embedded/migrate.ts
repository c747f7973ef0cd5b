// Brings a schema of the embedded database up to date.
import { applyMigrations } from '../apply-migrations.ts';
import { DEFAULT_JOURNAL } from '../schema-version.ts';
import type { Engine } from './engine.ts';

/**
 * Applies all missing migrations, or none.
 *
 * @param station the schema of a station other than the default one, as SQL
 */
export async function migrateEmbedded({ ask }: Pick<Engine, 'ask'>, station?: string): Promise<void> {
  const run = async (text: string) => (await ask<object>({ kind: 'script', text })).rows;
  await ask({ kind: 'begin' });
  try {
    if (station !== undefined) await run(`set local search_path = ${station}`);
    await applyMigrations(run, station ?? DEFAULT_JOURNAL);
    await ask({ kind: 'commit' });
  } catch (error) {
    await ask({ kind: 'rollback' }).catch(() => {});
    throw error;
  }
}
