// Makes a station on the server, or in an embedded database that is open: its schema with all in it, or nothing.
import pg from 'pg';
import { applyMigrations } from '../db/apply-migrations.ts';
import type { Database } from '../db/database.ts';
import { assertMakeable, type StationSettings, setStation } from '../db/station-schemas.ts';
import { setRawRetention } from '../store/raw-retention.ts';
import { type Config, ownerUrl } from './config.ts';
import type { Environment } from './environment.ts';
import { migrate } from './migrate.ts';

export interface MadeStation extends Partial<StationSettings> {
  /** An interval, or `off`. By default as long as a new database keeps its points. */
  readonly raw_retention?: string | undefined;
}

/**
 * A schema of that name that holds a table audio_data is adopted.
 *
 * @param open opens the embedded database; the caller closes it
 * @throws Error if there is a station of that name already, or another schema
 */
export async function makeStation(
  { config, log }: Pick<Environment, 'config' | 'log'>,
  open: () => Promise<Database>,
  name: string,
  { raw_retention, ...settings }: MadeStation = {},
): Promise<void> {
  const made = { time_zone: config.TIME_ZONE, ...settings };
  const rawRetention = raw_retention ?? config.RAW_RETENTION;
  if (config.DATABASE_URL !== undefined)
    return migrate({ ...migrationOf(config), rawRetention, station: { name, made }, log });
  const schema = pg.escapeIdentifier(name);
  const db = await open();
  await db.transaction(async ({ run }) => {
    await assertMakeable(run, name);
    await run(`create schema if not exists ${schema}; set local search_path = ${schema}`);
    await applyMigrations((text) => run(text), schema);
    await setRawRetention(run, rawRetention, log);
    await setStation(run, made);
  });
}

/** What the configuration says of migrations of every station. */
export function migrationOf(config: Config) {
  return {
    url: ownerUrl(config, 'DATABASE_URL must name the server; the embedded database is migrated at start'),
    readerRole: config.READER_ROLE,
    columnstoreAfter: config.COLUMNSTORE_AFTER,
    aggregateRetention: config.AGGREGATE_RETENTION,
  };
}
