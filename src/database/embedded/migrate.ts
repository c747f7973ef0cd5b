// Brings a schema of the embedded database up to date.
import { identifier } from '../drizzle.ts';
import { applyMigrations, DEFAULT_JOURNAL } from '../schema-version.ts';
import type { Engine } from './engine.ts';

/** Applies all missing migrations, or none. @param station undefined for the default station */
export async function migrateEmbedded({ send }: Pick<Engine, 'send'>, station?: string): Promise<void> {
  const run = async (text: string) => (await send<object>({ kind: 'script', text })).rows;
  await send({ kind: 'begin' });
  try {
    if (station !== undefined) await run(`set local search_path = ${identifier(station)}`);
    await applyMigrations(run, station ?? DEFAULT_JOURNAL);
    await send({ kind: 'commit' });
  } catch (error) {
    await send({ kind: 'rollback' }).catch(() => {});
    throw error;
  }
}
