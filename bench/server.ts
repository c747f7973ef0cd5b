// The server that is measured: one of its own in a temporary folder, or one that is there.
import pg from 'pg';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/postgres.ts';
import { type MigrateSettings, migrate } from '../src/migrate.ts';
import { findPostgres, startCluster, timescaleSettings } from '../test/cluster.ts';

export interface Server extends AsyncDisposable {
  /** A database, as its owner. */
  readonly url: string;
}

/** The folder of PostgreSQL's programs. */
export function postgresBin(): string {
  const bin = findPostgres();
  if (!bin) throw new Error('PostgreSQL is not on this machine: initdb and postgres are needed');
  return bin;
}

/** Starts a server of its own. */
export async function startServer(settings: Record<string, string>): Promise<Server> {
  const { url, stop } = await startCluster(postgresBin(), settings);
  return { url, [Symbol.asyncDispose]: stop };
}

/**
 * A server with TimescaleDB: that of `url`, or one of its own.
 *
 * @throws an Error that says what is missing
 */
export async function openTimescale(url: string | undefined): Promise<Server> {
  if (url !== undefined) return { url, [Symbol.asyncDispose]: async () => {} };
  // its policies are run by hand, so that none of them works while something is measured
  const settings = { ...timescaleSettings, shared_buffers: '1GB', max_wal_size: '8GB' };
  return startServer(settings).catch((cause) => {
    throw new Error('PostgreSQL does not start with TimescaleDB: install it, or give --url', { cause });
  });
}

/** Runs `work` on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the query that runs fails too
  await client.connect();
  return work(client).finally(() => client.end());
}

/**
 * Runs `work` as the owner of a database that is migrated with these settings.
 *
 * @throws an Error where the server has no TimescaleDB; nothing is changed then
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

/** Runs `work` in a database of its own on the server of `url`. */
export async function inNewDatabase<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `audio_bench_${process.pid}`;
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
export async function withService<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openPostgres({ url, poolSize: 1, queryTimeoutMs: 600_000, exportTimeoutMs: 600_000 });
  return work(db).finally(() => db.close());
}
