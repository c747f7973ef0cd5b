// The server that is measured: one of its own in a temporary folder, or one that is there.
import pg from 'pg';
import type { Database } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres.ts';
import { type Cluster, findPostgres, startCluster, timescaleSettings } from '../test/cluster.ts';

export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws an Error that says what is missing */
export async function openServer(url: string | undefined): Promise<Server> {
  if (url !== undefined) return { url, stop: async () => {} };
  const bin = findPostgres();
  if (!bin) throw new Error('PostgreSQL is not on this machine: install it with TimescaleDB, or give --url');
  let cluster: Cluster;
  try {
    // its policies are run by hand, so that none of them works while something is measured
    cluster = await startCluster(bin, { ...timescaleSettings, shared_buffers: '1GB', max_wal_size: '8GB' });
  } catch (error) {
    throw new Error(`PostgreSQL in ${bin} does not start with TimescaleDB: install it, or give --url`, {
      cause: error,
    });
  }
  return cluster;
}

/**
 * Runs `work` as the owner of a database that is migrated to hold `days` of points.
 *
 * @throws an Error where the server has no TimescaleDB; nothing is changed then
 */
export async function asOwner<T>(
  url: string,
  days: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the query that runs fails too
  await client.connect();
  try {
    const { rows } = await client.query(
      `select current_setting('timescaledb.disable_load', true) as disabled`,
    );
    if (rows[0].disabled !== 'off')
      throw new Error('The server does not load TimescaleDB, which this measures');
    await migrate({ url, rawRetention: `${Math.max(35, days + 5)} days` });
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs `work` in a database of its own on the server of `url`. */
export async function inNewDatabase<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `audio_bench_${process.pid}`;
  const own = new URL(url);
  own.pathname = name;
  await run(`create database ${name}`);
  try {
    return await work(own.href);
  } finally {
    await run(`drop database ${name} with (force)`);
  }

  async function run(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text).finally(() => client.end());
  }
}

/** Runs `work` with the service's own driver, on one connection. */
export async function withService<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openPostgres({ url, poolSize: 1, queryTimeoutMs: 600_000, exportTimeoutMs: 600_000 });
  return work(db).finally(() => db.close());
}
