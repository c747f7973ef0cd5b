// Provides the measured database server: a new one in a temporary folder, or an existing one.
import type pg from 'pg';
import { type MigrateSettings, migrate } from '../src/cli/migrate.ts';
import { openPostgres } from '../src/database/postgres.ts';
import type { Store } from '../src/rollups/store.ts';
import { createRollups } from '../src/rollups/store.ts';
import { type Cluster, findPostgres, startCluster, timescaleSettings, withClient } from '../test/cluster.ts';

export interface Server extends AsyncDisposable {
  /** The URL of a database, as its owner. */
  readonly url: string;
}

/**
 * The folder of PostgreSQL's programs.
 *
 * @throws an Error if PostgreSQL is not installed
 */
export function postgresBin(): string {
  const bin = findPostgres();
  if (!bin) throw new Error('PostgreSQL is not on this machine: initdb and postgres are needed');
  return bin;
}

export async function startServer(settings: Record<string, string>): Promise<Server & { cluster: Cluster }> {
  const cluster = await startCluster(postgresBin(), settings);
  return { url: cluster.url, cluster, [Symbol.asyncDispose]: cluster.stop };
}

/**
 * A server with TimescaleDB: the one at `url`, or a new one.
 *
 * @throws an Error that names what is missing
 */
export async function openTimescale(url: string | undefined): Promise<Server> {
  if (url !== undefined) return { url, [Symbol.asyncDispose]: async () => {} };
  // without its scheduler: the bench runs the policies by hand, so that none runs during a measurement
  const settings = { ...timescaleSettings, shared_buffers: '1GB', max_wal_size: '8GB' };
  return startServer(settings).catch((cause) => {
    throw new Error('PostgreSQL does not start with TimescaleDB: install it, or give --url', { cause });
  });
}

/**
 * Migrates a database with these settings, then runs `work` as its owner.
 *
 * @throws an Error if the server does not load TimescaleDB; nothing has been changed then
 */
export async function asOwner<T>(
  url: string,
  settings: Pick<MigrateSettings, 'rawRetention'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `select current_setting('timescaledb.disable_load', true) as disabled`,
    );
    if (rows[0].disabled !== 'off')
      throw new Error('The server does not load TimescaleDB, which this measures');
    await migrate({ url, ...settings });
    return work(client);
  });
}

/** Runs `work` in a new database on the server at `url`, and drops the database afterwards. */
export async function inNewDatabase<T>(
  url: string,
  suffix: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const name = `audio_bench_${process.pid}_${suffix}`;
  const own = new URL(url);
  own.pathname = name;
  await withClient(url, (client) => client.query(`create database ${name}`));
  try {
    return await work(own.href);
  } finally {
    await withClient(url, (client) => client.query(`drop database ${name} with (force)`));
  }
}

/** Runs `work` with the service's own driver, on one connection. */
export async function withService<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const db = openPostgres({ url, poolSize: 1, queryTimeoutMs: 600_000, exportTimeoutMs: 600_000 });
  return work({ db, rollups: createRollups(db) }).finally(() => db.close());
}
