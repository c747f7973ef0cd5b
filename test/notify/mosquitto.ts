// mosquitto, Debian's MQTT broker, with its own folder.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freePort } from '../cluster.ts';
import { findProgram, ownFolder, startProgram } from '../program.ts';

export const mosquitto = findProgram('mosquitto') ?? '';

export interface Broker {
  /** `host:port` */
  readonly host: string;
  /** The file of the certificate authority, with TLS. */
  readonly ca: string;
  /** Its log since the last start. */
  log(): string;
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Suspends it, or lets it continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Starts it again, without retained messages. */
  start(): Promise<void>;
}

/**
 * A broker that ends with the test.
 *
 * @param options.user required to connect, as `user:password`
 * @param options.isStarted false if the test starts it
 * @param options.persists whether it keeps sessions and their messages when it ends by SIGTERM
 */
export async function startMosquitto({
  user,
  tls = false,
  isStarted = true,
  persists = false,
}: {
  user?: string;
  tls?: boolean;
  isStarted?: boolean;
  persists?: boolean;
} = {}): Promise<Broker> {
  const folder = ownFolder();
  const port = await freePort();
  const file = (name: string) => join(folder.path, name);
  const run = (program: string, ...args: string[]) =>
    execFileSync(findProgram(program) ?? program, args, { ...folder.as, stdio: 'pipe' });
  const lines = [`listener ${port} 127.0.0.1`, `allow_anonymous ${user === undefined}`, 'log_type all'];
  if (user !== undefined) {
    run('mosquitto_passwd', '-b', '-c', 'passwords', ...user.split(':'));
    lines.push(`password_file ${file('passwords')}`);
  }
  if (persists)
    lines.push('persistence true', `persistence_location ${folder.path}/`, 'max_queued_messages 0');
  if (tls) {
    const key = (name: string) => ['-newkey', 'rsa:2048', '-noenc', '-keyout', `${name}.key`];
    run('openssl', 'req', '-x509', ...key('ca'), '-out', 'ca.pem', '-subj', '/CN=Authority');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', 'subjectAltName=IP:127.0.0.1'];
    run('openssl', 'req', '-x509', ...key('broker'), '-out', 'broker.pem', '-subj', '/CN=broker', ...signed);
    lines.push(`certfile ${file('broker.pem')}`, `keyfile ${file('broker.key')}`);
  }
  writeFileSync(file('mosquitto.conf'), `${lines.join('\n')}\n`);

  let program: ReturnType<typeof startProgram> | undefined;
  const broker: Broker = {
    host: `127.0.0.1:${port}`,
    ca: file('ca.pem'),
    log: () => program?.output() ?? '',
    end: async (signal = 'SIGTERM') => program?.end(signal),
    signal: (signal) => process.kill(program?.pid ?? process.pid, signal),
    async start() {
      const started = startProgram(mosquitto, ['-c', file('mosquitto.conf')], folder);
      program = started;
      while (!(await accepts(port))) {
        if (!started.isRunning()) throw new Error(`mosquitto did not start: ${started.output()}`);
        await sleep(20);
      }
    },
  };
  onTestFinished(async () => {
    await broker.end('SIGKILL');
    folder.remove();
  });
  if (isStarted) await broker.start();
  return broker;
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
