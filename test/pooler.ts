// Finds PgBouncer on this machine and runs it in front of a server.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './cluster.ts';
import { findProgram, ownFolder, startProgram } from './program.ts';

export interface Pooler {
  /** The address of the same database, through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/**
 * @returns the program of PGBOUNCER, else the one on the PATH or in Debian's folder; undefined if there is none
 * @throws if PGBOUNCER names no file, because another program must not replace it silently
 */
export function findPgbouncer(): string | undefined {
  const { PGBOUNCER } = process.env;
  if (PGBOUNCER && !existsSync(PGBOUNCER)) throw new Error(`PGBOUNCER is ${PGBOUNCER}, which does not exist`);
  return PGBOUNCER || findProgram('pgbouncer');
}

/** @returns a version such as `1.24.1` */
export function versionOf(pgbouncer: string): string {
  return /\d+(\.\d+)+/.exec(execFileSync(pgbouncer, ['--version'], { encoding: 'utf8' }))?.[0] ?? 'unknown';
}

/** Starts PgBouncer with its defaults, except for `settings`. The roles in `roles` may log in. */
export async function startPooler(
  pgbouncer: string,
  server: string,
  roles: readonly string[],
  settings: Record<string, string | number>,
): Promise<Pooler> {
  const folder = ownFolder();
  const [port, { hostname, port: serverPort }] = [await freePort(), new URL(server)];
  const [users, file] = [join(folder.path, 'users'), join(folder.path, 'pgbouncer.ini')];
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: users,
    ...settings,
  };
  writeFileSync(users, roles.map((role) => `"${role}" ""\n`).join(''));
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(file, `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join('')}`);
  const program = startProgram(pgbouncer, [file], folder);
  while (program.isRunning() && !program.output().includes('process up')) await sleep(20);
  if (!program.isRunning()) {
    folder.remove();
    throw new Error(`pgbouncer ended at start: ${program.output()}`);
  }
  return {
    through(url) {
      const own = new URL(url);
      own.host = `127.0.0.1:${port}`;
      return own.href;
    },
    async stop() {
      await program.end('SIGQUIT');
      folder.remove();
    },
  };
}
