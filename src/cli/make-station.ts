// Creates a station and its whole schema in one transaction, even beside a running service.
import type { Database } from '../database/database.ts';
import { identifier, queriesOf } from '../database/drizzle.ts';
import { applyMigrations } from '../database/schema-version.ts';
import { assertMakeable, setStation } from '../database/station-schemas.ts';
import { setHistoryRetention, setRawRetention } from '../rollups/raw-retention.ts';
import { openFolder } from './command-database.ts';
import { type Config, ownerUrl } from './config.ts';
import type { Environment } from './environment.ts';
import { migrate } from './migrate.ts';
import type { GivenSettings } from './station-settings.ts';

/**
 * Adopts a schema of that name if it holds a table audio_data.
 *
 * @param settings without a retention, the one of a new database
 * @param opened the embedded database, if the caller has opened it
 * @throws Error if the name is taken by a station or by another schema
 */
export async function makeStation(
  { config, log }: Pick<Environment, 'config' | 'log'>,
  name: string,
  { raw_retention, history_retention, ...settings }: GivenSettings = {},
  opened?: Database,
): Promise<void> {
  const time_zone = config.TIME_ZONE ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const made = { time_zone, ...settings };
  const rawRetention = raw_retention ?? config.RAW_RETENTION;
  const retentionName = raw_retention === undefined ? undefined : '--raw-retention';
  if (config.DATABASE_URL !== undefined)
    return migrate({
      ...migrationOf(config),
      rawRetention,
      retentionName,
      historyRetention: history_retention,
      station: { name, made },
      log,
    });
  const schema = identifier(name);
  const db = opened ?? (await openFolder({ config, log }));
  const making = db.transaction(async ({ run }) => {
    await assertMakeable(run, name);
    await run(`create schema if not exists ${schema}; set local search_path = ${schema}`);
    await applyMigrations((text) => run(text), name);
    await setRawRetention(run, rawRetention, log, { name: retentionName });
    await setHistoryRetention(run, history_retention, '--history-retention');
    await setStation(queriesOf(run), made);
  });
  await making.finally(() => db !== opened && db.close());
}

export const migrationOf = (config: Config) => ({
  url: ownerUrl(
    config,
    'DATABASE_URL must name the server. The embedded database needs no `migrate`: it migrates when it opens',
  ),
  readerRole: config.READER_ROLE,
  columnstoreAfter: config.COLUMNSTORE_AFTER,
  aggregateRetention: config.AGGREGATE_RETENTION,
});
