// Builds the page, starts this machine's databases once for all tests, and reports at the end which ones were used.
import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/cli/migrate.ts';
import type { Request } from '../src/database/embedded/messages.ts';
import { migrateEmbedded } from '../src/database/embedded/migrate.ts';
import { prepareCitus, startCitus } from './citus.ts';
import {
  type Cluster,
  findPostgres,
  prepareClusters,
  startCluster,
  timescaleSettings,
  withClient,
} from './cluster.ts';
import { buildPage } from './page/build.ts';

const run = promisify(execFile);

/** The migrated database on each server, which tests copy. */
const TEMPLATE = 'audio_template';

export interface ServerInfo {
  /** The URL of the database `postgres`, as the superuser. */
  url: string;
  pid: number;
  template: string;
  /** The URLs of the other nodes of a cluster, which have the same databases. */
  workers?: readonly string[];
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine of the wire tests. */
    wireEngine: 'pglite' | 'postgres' | 'timescaledb' | 'citus';
    /** A dump of a migrated embedded database. */
    pgliteTemplate: string;
    /** A data folder of a migrated embedded database, to be copied. */
    dataFolder: string;
    postgres: ServerInfo | undefined;
    timescale: ServerInfo | undefined;
    /** The coordinator of a cluster, whose template has the station CITUS_STATION on a worker. */
    citus: ServerInfo | undefined;
    /** The folder of PostgreSQL's programs, for tests that stop a server. */
    postgresBin: string | undefined;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TMPDIR = inMemory('/dev/shm') ?? tmpdir() } = process.env;
  Object.assign(process.env, { TMPDIR }); // workers inherit it
  const exercised: string[] = [];
  const skipped: string[] = [];
  const clusters: Cluster[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-'));
  const removers = [() => rmSync(folder, { recursive: true, force: true })];
  const clear = () => {
    for (const remove of removers) remove();
  };
  process.setMaxListeners(30);
  process.once('exit', clear);

  async function provideEmbedded(): Promise<void> {
    const [dataFolder, dump] = [join(folder, 'data'), join(folder, 'pglite.tar')];
    exercised.push(`PGlite (${await prepareEmbedded(dataFolder, dump)})`);
    project.provide('dataFolder', dataFolder);
    project.provide('pgliteTemplate', dump);
  }

  async function provideServer(
    key: 'postgres' | 'timescale',
    bin: string,
    settings: Record<string, string>,
    whenStarted?: (url: string) => Promise<void>,
  ): Promise<void> {
    const name = key === 'postgres' ? 'PostgreSQL' : 'TimescaleDB';
    try {
      const cluster = await startCluster(bin, settings);
      clusters.push(cluster);
      const [version] = await Promise.all([
        prepare(cluster, key === 'timescale'),
        whenStarted?.(cluster.url),
      ]);
      project.provide(key, { url: cluster.url, pid: cluster.pid, template: TEMPLATE });
      exercised.push(`${name} (${version})`);
    } catch (error) {
      skipped.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }

  async function provideCitus(bin: string): Promise<void> {
    try {
      const nodes = await startCitus(bin);
      clusters.push(...nodes);
      const [url = '', ...workers] = nodes.map((node) => node.url);
      const version = await prepareCitus([url, ...workers], TEMPLATE);
      project.provide('citus', { url, pid: nodes[0]?.pid ?? 0, template: TEMPLATE, workers });
      exercised.push(`Citus (${version}, three nodes)`);
    } catch (error) {
      skipped.push(`Citus: ${error instanceof Error ? error.message : error}`);
    }
  }

  async function provideServers(): Promise<void> {
    const bin = findPostgres();
    project.provide('postgresBin', bin);
    project.provide('postgres', undefined);
    project.provide('timescale', undefined);
    project.provide('citus', undefined);
    if (bin === undefined) {
      skipped.push(
        'PostgreSQL: no initdb and postgres on this machine',
        'TimescaleDB: needs PostgreSQL',
        'Citus: needs PostgreSQL',
      );
      return;
    }
    removers.push(await prepareClusters(bin));
    await provideServer('postgres', bin, {}, async (url) => {
      const [timescaleFault, citusFault] = await Promise.all([
        missing(url, 'timescaledb'),
        missing(url, 'citus'),
      ]);
      const timescale = timescaleFault === undefined && provideServer('timescale', bin, timescaleSettings);
      const citus = citusFault === undefined && provideCitus(bin);
      await Promise.all([timescale, citus]);
      if (timescaleFault !== undefined) skipped.push(`TimescaleDB: ${timescaleFault}`);
      if (citusFault !== undefined) skipped.push(`Citus: ${citusFault}`);
    });
  }

  await Promise.all([buildPage(), provideServers(), provideEmbedded()]);

  return async () => {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    process.off('exit', clear);
    clear();
    console.log(`\nDatabases exercised: ${exercised.sort().join(', ')}`);
    for (const line of skipped) console.log(`Databases skipped: ${line}`);
  };
}

/**
 * ext4 took a quarter of the suite's processor time: it creates a file slowly where others were just deleted, and each
 * database has hundreds.
 *
 * @returns a file system in memory, if it has room and may hold programs
 */
function inMemory(path: string): string | undefined {
  const program = join(path, `audio-metrics-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(path);
    writeFileSync(program, '', { mode: 0o755 });
    accessSync(program, constants.X_OK); // refused if the mount is noexec
    return bavail * bsize > 4e9 ? path : undefined;
  } catch {
    return undefined;
  } finally {
    rmSync(program, { force: true });
  }
}

/** Opens and closes PGlite directly, because the driver would compile PostgreSQL again and sync. */
async function prepareEmbedded(dataDir: string, path: string): Promise<string> {
  const files = join(dataDir, 'pg');
  mkdirSync(files, { recursive: true });
  const pglite = await PGlite.create(files);
  await migrateEmbedded({
    async send<Row>(request: Request) {
      const results = (await pglite.exec('text' in request ? request.text : request.kind)).at(-1);
      return { kind: 'answer', rows: (results?.rows ?? []) as Row[], affectedRows: 0 };
    },
  });
  const { rows } = await pglite.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  await pglite.exec(`update audio_data_refreshes set raw_retention = 'off'`); // the tests' points are old
  await pglite.close();
  // no test creates databases from template1 and template0; without them the folder copies and opens faster
  for (const oid of ['1', '4']) rmSync(join(files, 'base', oid), { recursive: true });
  // PGlite fills all buffers with zeros when it opens
  writeFileSync(join(files, 'postgresql.conf'), "shared_buffers = '8MB'\n", { flag: 'a' });
  await run('tar', ['-cf', path, '--format=ustar', '-C', files, '.']);
  return `PostgreSQL ${rows[0]?.version}`;
}

async function prepare(cluster: Cluster, timescale: boolean): Promise<string> {
  const url = new URL(cluster.url);
  await withClient(cluster.url, (client) => client.query(`create database ${TEMPLATE}`));
  url.pathname = TEMPLATE;
  await migrate({ url: url.href, rawRetention: 'off' }); // the tests' points are old
  return await withClient(url.href, async (client) => {
    const { rows } = await client.query(
      "select split_part(current_setting('server_version'), ' ', 1) as server, (select extversion from pg_extension where extname = 'timescaledb') as timescale",
    );
    // its workers hold a connection, and a database in use cannot be copied
    if (rows[0].timescale) await client.query('select _timescaledb_functions.stop_background_workers()');
    return timescale ? `${rows[0].timescale} on PostgreSQL ${rows[0].server}` : rows[0].server;
  });
}

/** @returns why the server lacks an extension; undefined if it has it */
async function missing(url: string, extension: string): Promise<string | undefined> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query('select from pg_available_extensions where name = $1', [extension]);
    if (rows.length > 0) return undefined;
    const { rows: version } = await client.query(
      "select current_setting('server_version_num')::int / 10000 as major",
    );
    return `the extension is not installed for PostgreSQL ${version[0].major}`;
  });
}
