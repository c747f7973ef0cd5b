// Starts the databases that this machine has, once for all tests, and says at the end which were exercised.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/cli/migrate.ts';
import { openPglite } from '../src/db/pglite.ts';
import { type Cluster, findPostgres, startCluster, timescaleSettings, withClient } from './cluster.ts';

/** The migrated database on each server that the tests' own databases are copies of. */
const TEMPLATE = 'audio_template';

export interface ServerInfo {
  /** As the superuser, to the database `postgres`. */
  url: string;
  pid: number;
  template: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine of the tests of the wire. */
    wireEngine: 'pglite' | 'postgres' | 'timescaledb';
    /** A dump of a migrated embedded database. */
    pgliteTemplate: string;
    /** A data folder of a migrated embedded database, to be copied. */
    dataFolder: string;
    postgres: ServerInfo | undefined;
    timescale: ServerInfo | undefined;
    /** The folder of PostgreSQL's programs, for tests that stop a server. */
    postgresBin: string | undefined;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const exercised: string[] = [];
  const skipped: string[] = [];
  const clusters: Cluster[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-'));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clear);

  const [dataFolder, dump] = [join(folder, 'data'), join(folder, 'pglite.tar')];
  exercised.push(`PGlite (${await prepareEmbedded(dataFolder, dump)})`);
  project.provide('dataFolder', dataFolder);
  project.provide('pgliteTemplate', dump);

  async function provideServer(
    key: 'postgres' | 'timescale',
    name: string,
    settings: Record<string, string>,
    bin: string,
  ): Promise<string | undefined> {
    try {
      const cluster = await startCluster(bin, settings);
      clusters.push(cluster);
      const version = await prepare(cluster, key === 'timescale');
      project.provide(key, { url: cluster.url, pid: cluster.pid, template: TEMPLATE });
      exercised.push(`${name} (${version})`);
      return cluster.url;
    } catch (error) {
      skipped.push(`${name}: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }

  const bin = findPostgres();
  project.provide('postgresBin', bin);
  project.provide('postgres', undefined);
  project.provide('timescale', undefined);
  if (bin === undefined) {
    skipped.push('PostgreSQL: no initdb and postgres on this machine', 'TimescaleDB: needs PostgreSQL');
  } else {
    const plain = await provideServer('postgres', 'PostgreSQL', {}, bin);
    const reason = plain === undefined ? 'needs PostgreSQL' : await timescaleMissing(plain);
    if (reason === undefined) await provideServer('timescale', 'TimescaleDB', timescaleSettings, bin);
    else skipped.push(`TimescaleDB: ${reason}`);
  }

  return async () => {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    process.off('exit', clear);
    clear();
    console.log(`\nDatabases exercised: ${exercised.join(', ')}`);
    for (const line of skipped) console.log(`Databases skipped: ${line}`);
  };
}

async function prepareEmbedded(dataDir: string, path: string): Promise<string> {
  const db = await openPglite({ dataDir });
  const [server] = await db.run<{ version: string }>("select current_setting('server_version') as version");
  await db.run(`update audio_data_refreshes set raw_retention = 'off'`); // the tests' points are old
  await db.close();
  const copy = `${dataDir}-copy`;
  cpSync(join(dataDir, 'pg'), copy, { recursive: true });
  // template1 and template0, from which nobody makes a database: without them one in memory is opened a sixth sooner
  for (const oid of ['1', '4']) rmSync(join(copy, 'base', oid), { recursive: true });
  const pglite = await PGlite.create(copy);
  const dump = await pglite.dumpDataDir('none');
  writeFileSync(path, Buffer.from(await dump.arrayBuffer()));
  await pglite.close();
  return `PostgreSQL ${server?.version}`;
}

async function prepare(cluster: Cluster, timescale: boolean): Promise<string> {
  const url = new URL(cluster.url);
  await withClient(cluster.url, (client) => client.query(`create database ${TEMPLATE}`));
  url.pathname = TEMPLATE;
  await migrate({ url: url.href });
  return await withClient(url.href, async (client) => {
    const { rows } = await client.query(
      "select split_part(current_setting('server_version'), ' ', 1) as server, (select extversion from pg_extension where extname = 'timescaledb') as timescale",
    );
    // its workers hold a connection, and a database in use cannot be copied
    if (rows[0].timescale) await client.query('select _timescaledb_functions.stop_background_workers()');
    return timescale ? `${rows[0].timescale} on PostgreSQL ${rows[0].server}` : rows[0].server;
  });
}

async function timescaleMissing(url: string): Promise<string | undefined> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query("select from pg_available_extensions where name = 'timescaledb'");
    if (rows.length > 0) return undefined;
    const { rows: version } = await client.query(
      "select current_setting('server_version_num')::int / 10000 as major",
    );
    return `the extension is not installed for PostgreSQL ${version[0].major}`;
  });
}
