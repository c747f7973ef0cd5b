// Adds stations to a test database, beside the default station.
import { migrate } from '../../../src/cli/migrate.ts';
import { applyMigrations } from '../../../src/database/apply-migrations.ts';
import { type StationSettings, setStation } from '../../../src/database/station-schemas.ts';
import type { TestDatabase } from '../../engines.ts';

export async function addStation(
  { db, url }: Pick<TestDatabase, 'db' | 'url'>,
  name: string,
  made: Partial<StationSettings> = {},
): Promise<void> {
  if (url) return migrate({ url, station: { name, made } });
  await db.transaction(async ({ run }) => {
    await run(`create schema ${name}; set local search_path = ${name}`);
    await applyMigrations(run, name);
    await setStation(run, made);
  });
}
