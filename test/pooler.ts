// Finds PgBouncer on this machine and runs it in front of a server.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort, GONE, unprivileged } from './cluster.ts';

export interface Pooler {
  /** The address of the same database, through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/**
 * @returns the program that PGBOUNCER names, else the one on the PATH or at Debian's place; undefined where there
 *   is none
 * @throws where PGBOUNCER names no file: what was asked for must not be replaced in silence
 */
export function findPgbouncer(): string | undefined {
  const { PATH = '', PGBOUNCER } = process.env;
  if (PGBOUNCER && !existsSync(PGBOUNCER)) throw new Error(`PGBOUNCER is ${PGBOUNCER}, which is not there`);
  const places = [...PATH.split(delimiter), '/usr/sbin'].map((folder) => join(folder, 'pgbouncer'));
  return PGBOUNCER || places.find((path) => existsSync(path));
}

/** @returns such as `1.24.1` */
export function versionOf(pgbouncer: string): string {
  return /\d+(\.\d+)+/.exec(execFileSync(pgbouncer, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown';
}

/** Starts it with its own defaults, but for `settings`. It lets every role of `roles` in. */
export async function startPooler(
  pgbouncer: string,
  server: string,
  roles: readonly string[],
  settings: Record<string, string | number>,
): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'audio-metrics-pooler-'));
  const { uid, gid } = unprivileged(folder);
  chmodSync(folder, 0o755);
  const [port, { hostname, port: serverPort }] = [await freePort(), new URL(server)];
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    ...settings,
  };
  writeFileSync(join(folder, 'users'), roles.map((role) => `"${role}" ""\n`).join(''));
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${Object.entries(all)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  );
  const running = spawn(pgbouncer, [join(folder, 'pgbouncer.ini')], {
    ...(uid !== undefined && gid !== undefined && { uid, gid }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const clear = () => {
    running.kill('SIGKILL');
    rmSync(folder, GONE);
  };
  process.once('exit', clear); // also when the run is interrupted
  const ended = new Promise((resolve) => running.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    running.once('error', reject);
    running.once('exit', () => reject(new Error(`pgbouncer ended at start: ${output}`)));
    running.stderr.on('data', (text) => {
      output += text;
      if (/process up/.test(output)) resolve();
    });
  });
  return {
    through(url) {
      const own = new URL(url);
      own.host = `127.0.0.1:${port}`;
      return own.href;
    },
    async stop() {
      running.kill('SIGQUIT');
      await ended;
      process.off('exit', clear);
      clear();
    },
  };
}
