// Gives a database of a test stations beside the default one.
import { migrate } from '../../src/cli/migrate.ts';
import { applyMigrations } from '../../src/db/apply-migrations.ts';
import { makeStation, type StationSettings } from '../../src/db/station-schemas.ts';
import type { TestDatabase } from '../engines.ts';

const UNSET = { place_name: null, time_zone: 'UTC', limits: '', calibration_offset_db: null };

export async function addStation(
  { db, url }: Pick<TestDatabase, 'db' | 'url'>,
  name: string,
  settings: Partial<StationSettings> = {},
): Promise<void> {
  const made = { ...UNSET, ...settings };
  if (url) return migrate({ url, station: { name, made } });
  await db.transaction(async ({ run }) => {
    await run(`create schema ${name}; set local search_path = ${name}`);
    await applyMigrations(run, name);
    await makeStation(run, made);
  });
}
