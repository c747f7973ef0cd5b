// Stations beside the default one, for tests.
import { migrate } from '../src/cli/migrate.ts';
import { applyMigrations } from '../src/db/apply-migrations.ts';
import type { TestDatabase } from './engines.ts';

/** Makes a station without points, on any engine. */
export async function makeStation({ url, sql }: TestDatabase, name: string): Promise<void> {
  if (url !== undefined) return migrate({ url, station: { name, made: {} }, rawRetention: 'off' });
  await sql(`begin; create schema ${name}; set local search_path = ${name}`);
  await applyMigrations(sql, name);
  await sql(
    `insert into audio_data_station default values; update audio_data_refreshes set raw_retention = 'off'; commit`,
  );
}
