// Starts deploy/ha on this machine: etcd, three Patroni nodes, HAProxy, three services and nginx.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../src/cli/migrate.ts';
import { freePort, withClient } from '../test/cluster.ts';
import { startNginx } from '../test/nginx.ts';
import {
  configuration,
  type Folder,
  findProgram,
  ownFolder,
  type Program,
  startProgram,
} from '../test/program.ts';
import { type Child, startService } from './child.ts';
import type { Say } from './figure.ts';
import { postgresBin } from './server.ts';

const PROGRAMS = ['etcd', 'patroni', 'haproxy', 'nginx'] as const;
type Paths = Readonly<Record<(typeof PROGRAMS)[number], string>>;

const PASSWORD = 'bench';
const as = (role: string, port: number, database = 'audio') =>
  `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/${database}`;

export interface Node {
  readonly name: string;
  /** The URL of the database, as its owner. */
  readonly url: string;
  /** The same URL, as the superuser. */
  readonly admin: string;
  /** Its role in Patroni, or undefined while it has none. */
  role(): Promise<'primary' | 'standby' | undefined>;
  start(): void;
  /** Kills Patroni and PostgreSQL, like a power loss. */
  kill(): void;
}

export interface Topology extends AsyncDisposable {
  /** The URL of nginx. */
  readonly url: string;
  /** The URL of the primary, through HAProxy, as the owner. */
  readonly writes: string;
  readonly nodes: readonly Node[];
  primary(): Promise<Node>;
  standbys(): Promise<Node[]>;
  /** Replaces the services one by one at their addresses, as docs/how-to/more-than-one-machine.md says. */
  replaceServices(): Promise<void>;
}

/** @throws an Error that names the programs that this machine lacks */
export function findPrograms(): Paths {
  const found = PROGRAMS.map((name) => [name, findProgram(name)] as const);
  const missing = found.filter(([, path]) => !path).map(([name]) => name);
  if (missing.length > 0)
    throw new Error(
      `Missing: ${missing.join(', ')}. Install them (Debian: etcd-server, patroni, haproxy, nginx-light), or set PROGRAMS_BIN to their folder`,
    );
  return Object.fromEntries(found) as Paths;
}

export async function startTopology(fill: (writes: string) => Promise<void>, say: Say): Promise<Topology> {
  const paths = findPrograms();
  process.setMaxListeners(30); // each process below adds a listener for the exit of this one
  const bin = postgresBin();
  const folder = ownFolder();
  const end = new AsyncDisposableStack();
  end.defer(() => folder.remove());
  try {
    say('starting etcd and three Patroni nodes');
    const etcd = await startEtcd(paths.etcd, folder);
    end.defer(() => etcd.end());
    const nodes: (Node & { port: number; health: number; stop(): Promise<void> })[] = [];
    for (const name of ['node1', 'node2', 'node3']) {
      const node = await createNode(name, paths.patroni, bin, etcd.url, folder);
      end.defer(() => node.stop());
      nodes.push(node);
      node.start();
    }
    const topology = { primary: () => only(nodes, 'primary'), standbys: () => all(nodes, 'standby') };
    await until('three streaming nodes', 120_000, async () => {
      const roles = await Promise.all(nodes.map((node) => node.role()));
      return roles.filter((role) => role === 'primary').length === 1 && roles.every(Boolean);
    });

    say('starting HAProxy');
    const [writes, reads] = [await freePort(), await freePort()];
    const ports = nodes.flatMap(({ name, port, health }) => [
      [`${name}:5432 check port 8008`, `127.0.0.1:${port} check port ${health}`],
    ]);
    const file = join(folder.path, 'haproxy.cfg');
    const text = configuration('haproxy.cfg', {
      'bind :5000': `bind 127.0.0.1:${writes}`,
      'bind :5001': `bind 127.0.0.1:${reads}`,
      ...Object.fromEntries(ports),
    });
    writeFileSync(file, text);
    const haproxy = startProgram(paths.haproxy, ['-db', '-f', file], folder);
    end.defer(() => haproxy.end('SIGKILL'));
    await sleep(3000); // before its first check, HAProxy treats every server as the primary
    await until('the primary through HAProxy', 20_000, () => answers(as('postgres', writes, 'postgres')));

    await withClient(as('postgres', writes, 'postgres'), async (client) => {
      for (const role of ['audio_owner', 'audio_reader'])
        await client.query(`create role ${role} login password '${PASSWORD}'`);
      await client.query('create database audio owner audio_owner');
    });
    const owner = as('audio_owner', writes);
    await migrate({ url: owner, readerRole: 'audio_reader' });
    await fill(owner);
    await until('a standby through HAProxy', 30_000, () => answers(as('audio_reader', reads)));

    say('starting three services and nginx');
    const services: Child[] = [];
    end.defer(async () => {
      for (const service of services) await service[Symbol.asyncDispose]();
    });
    for (let n = 0; n < 3; n++) services.push(await startService(as('audio_reader', reads)));
    const [one, two, three] = services.map(({ url }) => url);
    const nginx = await startNginx(paths.nginx, [one ?? '', two ?? '', three ?? ''], { sharedCache: false });
    end.defer(() => nginx.stop());
    const replaceServices = async () => {
      for (const [n, service] of services.entries()) {
        await service[Symbol.asyncDispose]();
        services[n] = await startService(as('audio_reader', reads), { PORT: new URL(service.url).port });
      }
    };
    return {
      url: nginx.url,
      writes: owner,
      nodes,
      replaceServices,
      ...topology,
      [Symbol.asyncDispose]: () => end.disposeAsync(),
    };
  } catch (error) {
    await end.disposeAsync();
    throw error;
  }
}

async function startEtcd(path: string, folder: Folder): Promise<Program & { url: string }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const args = [
    ...['--name', 'etcd', '--data-dir', join(folder.path, 'etcd')],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...[
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `etcd=${peer}`,
    ],
  ];
  const etcd = startProgram(path, args, folder);
  await until('etcd', 20_000, async () => {
    if (!etcd.isRunning()) throw new Error(`etcd did not start: ${etcd.output()}`);
    return (await fetch(`${url}/health`)).ok;
  });
  return { ...etcd, url };
}

async function createNode(name: string, patroni: string, bin: string, etcd: string, folder: Folder) {
  const [port, health] = [await freePort(), await freePort()];
  const data = join(folder.path, name);
  const file = join(folder.path, 'patroni.yml');
  writeFileSync(
    file,
    configuration('patroni.yml', {
      'unix_socket_directories: /tmp': `unix_socket_directories: ${folder.path}`,
    }),
  );
  const env = {
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: new URL(etcd).host,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${health}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${health}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_BIN_DIR: bin,
    PATRONI_POSTGRESQL_PGPASS: join(folder.path, `${name}.pgpass`),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
  };
  let program: Program | undefined;
  // runs even after an interruption, because Patroni leaves the server running
  const stopServer = () => spawnSync(join(bin, 'pg_ctl'), ['stop', '-D', data, '-m', 'immediate'], folder.as);
  process.prependOnceListener('exit', stopServer); // before the folder is removed
  return {
    name,
    port,
    health,
    url: as('audio_owner', port),
    admin: as('postgres', port),
    start() {
      program = startProgram(patroni, [file], { ...folder, env });
    },
    kill() {
      const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
      if (program) process.kill(program.pid, 'SIGKILL');
      process.kill(postmaster, 'SIGKILL');
    },
    async role() {
      const is = (path: string) =>
        fetch(`http://127.0.0.1:${health}/${path}`).then(
          ({ ok }) => ok,
          () => false,
        );
      if (await is('primary')) return 'primary' as const;
      return (await is('replica')) ? ('standby' as const) : undefined;
    },
    async stop() {
      await program?.end('SIGKILL');
      stopServer();
      process.off('exit', stopServer);
    },
  };
}

async function all(nodes: readonly Node[], role: string): Promise<Node[]> {
  const roles = await Promise.all(nodes.map((node) => node.role()));
  return nodes.filter((_, i) => roles[i] === role);
}

async function only(nodes: readonly Node[], role: string): Promise<Node> {
  const [node, ...others] = await all(nodes, role);
  if (!node || others.length > 0) throw new Error(`There must be exactly one ${role}`);
  return node;
}

function answers(url: string): Promise<boolean> {
  return withClient(url, (client) => client.query('select')).then(
    () => true,
    () => false,
  );
}

/** Waits until `is` holds; a rejection counts as not yet. */
export async function until(what: string, limitMs: number, is: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + limitMs;
  let last: unknown;
  while (performance.now() < end) {
    const holds = await is().catch((error) => {
      last = error;
      return false;
    });
    if (holds) return;
    await sleep(200);
  }
  throw new Error(`There was no ${what} within ${limitMs / 1000} s`, { cause: last });
}
