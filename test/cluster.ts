// Finds PostgreSQL on this machine and runs throw-away clusters of it.
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Folder, ownFolder } from './program.ts';

const run = promisify(execFile);

export interface Cluster {
  readonly url: string;
  /** The server's process id; `crash` changes it. */
  readonly pid: number;
  /** Kills the server at once, as a crash does, restarts it after a while, and waits until it answers. */
  crash(awayMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @returns the folder of `initdb` and `postgres`: POSTGRES_BIN, else the first on the PATH, else the newest version in
 *  the usual folders; undefined if there is none
 * @throws if POSTGRES_BIN lacks these programs, because another version must not replace them silently
 */
export function findPostgres(): string | undefined {
  const { PATH = '', POSTGRES_BIN } = process.env;
  if (POSTGRES_BIN && !holdsPostgres(POSTGRES_BIN))
    throw new Error(`POSTGRES_BIN is ${POSTGRES_BIN}, which holds no initdb and postgres`);
  if (POSTGRES_BIN) return POSTGRES_BIN;
  const candidates = [
    ...PATH.split(delimiter),
    ...bindirOfPgConfig(),
    ...['/usr/lib/postgresql', '/usr/local/lib/postgresql', '/usr/pgsql']
      .filter((root) => existsSync(root))
      .flatMap((root) => readdirSync(root).map((version) => ({ version, bin: join(root, version, 'bin') })))
      .sort((a, b) => Number.parseFloat(b.version) - Number.parseFloat(a.version))
      .map(({ bin }) => bin),
  ];
  const found = candidates.find(holdsPostgres);
  return found && dirname(realpathSync(join(found, 'initdb'))); // a folder of links may lack the other programs
}

function holdsPostgres(bin: string): boolean {
  return ['initdb', 'postgres'].every((program) => existsSync(join(bin, program)));
}

function bindirOfPgConfig(): string[] {
  try {
    return [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim()];
  } catch {
    return [];
  }
}

/**
 * The environment variable that names the data folder that every cluster copies. Workers inherit it.
 */
const NEW_CLUSTER = 'NEW_CLUSTER_FOLDER';

/** Creates that data folder: copying it takes a tenth as long as `initdb`. @returns a function that removes it */
export async function prepareClusters(bin: string): Promise<() => void> {
  const folder = ownFolder();
  const data = join(folder.path, 'data');
  await initialise(bin, data, folder.as);
  process.env[NEW_CLUSTER] = data;
  return folder.remove;
}

const initialise = (bin: string, data: string, as: Folder['as']) =>
  run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    as,
  );

/**
 * Creates and starts a cluster in a folder of its own, with all crash safety turned off.
 *
 * @param primary the URL of a running primary, of which the cluster becomes a streaming replica
 */
export async function startCluster(
  bin: string,
  settings: Record<string, string> = {},
  primary?: string,
): Promise<Cluster> {
  const { path, as, remove } = ownFolder();
  const data = join(path, 'data');
  let server: ChildProcess | undefined;
  // also when the run is interrupted; waits, because a stopping server would write into the removed folder
  const stopServer = () => {
    if (server) spawnSync(join(bin, 'pg_ctl'), ['stop', '-D', data, '-m', 'immediate'], as);
  };
  process.prependOnceListener('exit', stopServer);
  try {
    const { [NEW_CLUSTER]: made } = process.env;
    const replicate = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    if (primary) await run(join(bin, 'pg_basebackup'), ['-D', data, '--dbname', primary, ...replicate], as);
    else if (made) await run('cp', ['-a', made, data], as);
    else await initialise(bin, data, as);
    const port = await freePort();
    const all = { ...quick, ...settings, port: String(port) };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const launch = () =>
      spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...as, stdio: ['ignore', 'ignore', 'pipe'] });
    server = launch();
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await answering(url, server);
    let running = server;
    return {
      url,
      get pid() {
        if (running.pid === undefined) throw new Error('postgres has no process id');
        return running.pid;
      },
      async crash(awayMs = 0) {
        const exited = once(running, 'exit');
        running.kill('SIGKILL');
        await exited;
        await sleep(awayMs);
        for (let attempt = 1; ; attempt++) {
          server = running = launch();
          const started = await answering(url, running).then(
            () => true,
            (error) => attempt === 300 && Promise.reject(error), // the old backends may still be ending
          );
          if (started) return;
        }
      },
      async stop() {
        const exited = new Promise((resolve) => running.once('exit', resolve));
        running.kill('SIGQUIT');
        if (running.exitCode === null && running.signalCode === null) await exited;
        process.off('exit', stopServer);
        remove();
      },
    };
  } catch (error) {
    process.off('exit', stopServer);
    stopServer();
    remove();
    throw error;
  }
}

const quick = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '100',
  // a rare zone with a fractional offset, which exposes code that forgets UTC
  timezone: 'Asia/Kathmandu',
};

/** The settings of a cluster with TimescaleDB; telemetry is off. */
export const timescaleSettings = {
  shared_preload_libraries: 'timescaledb',
  'timescaledb.telemetry_level': 'off',
  // jobs would drop points with old times, so tests run the jobs that they need
  'timescaledb.max_background_workers': '0',
};

async function answering(url: string, server: ChildProcess): Promise<void> {
  let errors = '';
  server.stderr?.on('data', (text) => {
    errors = `${errors}${text}`.slice(-2000);
  });
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null) throw new Error(`postgres ended at start: ${errors}`);
    try {
      return await withClient(url, async () => {});
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`postgres did not answer within 30 s: ${errors}`);
}

/** Runs `work` on a new connection. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the running query rejects as well
  await client.connect();
  return work(client).finally(() => client.end());
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Makes a server listen on a free port of this machine. @returns the port */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
