import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createProgram } from '../../src/cli/command-line.ts';
import { explain } from '../../src/database/faults.ts';
import { reasonOf } from '../../src/database/unreachable-reason.ts';
import { type Cluster, freePort, listen, startCluster } from '../cluster.ts';
import { connect } from '../engines.ts';
import { environmentOf } from '../environment.ts';
import { call } from '../in-process.ts';
import { needs } from '../needs.ts';
import { start, temporaryFolder } from '../process.ts';
import { ownFolder } from '../program.ts';
import { encode, sine, wav } from '../recorder/sound.ts';
import { createTestApp } from '../service.ts';

const SECRET = 'hunter2-hunter2';
/** Characters that end a part of a URL, and that shells and SQL treat specially. */
const PUNCTUATION = `p@s/s#w:1?2%20&3'"\\$[x]=+; ü`;
const ADVICE = 'check user and password in the URL; you can also put the unescaped password in PGPASSWORD';

/** The message for the operator after the database refused. */
async function reason(url: string, connectionTimeoutMillis = 60_000): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis });
  client.on('error', () => {});
  const error = await client.connect().then(
    () => undefined,
    (refused: Error) => refused,
  );
  await client.end().catch(() => {});
  expect(explain(error)).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The database cannot be reached',
  });
  return reasonOf(explain(error));
}

/** Runs a command in this process. @returns its output */
async function command(variables: Record<string, string>, args: string[]): Promise<string> {
  const { environment, output } = environmentOf(variables);
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await createProgram('test', () => environment)
    .parseAsync(args, { from: 'user' })
    .finally(() => print.mockRestore());
  return output();
}

describe('The reason why a database cannot be reached', () => {
  it('names a port without a listener, even if the host has several addresses', async () => {
    const port = await freePort();
    const refused = `connect ECONNREFUSED 127.0.0.1:${port}: nothing listens there; check host and port in the URL, and whether the server runs`;
    expect(await reason(`postgres://u:${SECRET}@127.0.0.1:${port}/x`)).toBe(refused);
    expect(await reason(`postgres://u:${SECRET}@localhost:${port}/x`)).toContain(refused);
    const several = new AggregateError([
      Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' }),
      Object.assign(new Error('connect ENETUNREACH 10.0.0.1:1'), { code: 'ENETUNREACH' }),
    ]);
    expect(reasonOf(several)).toMatch(/::1:1: nothing listens there.*; connect ENETUNREACH 10\.0\.0\.1:1/);
  });

  it('names a host or a socket that does not exist', async () => {
    expect(await reason(`postgres://u:${SECRET}@nowhere.invalid/x`)).toMatch(
      /nowhere\.invalid: (no such host; check its name in the URL|the host name cannot be resolved now)$/,
    );
    expect(await reason(`postgres://u:${SECRET}@%2Fnowhere/x`)).toMatch(
      /ENOENT .*: no server listens on that socket$/,
    );
  });

  it('reports a server that does not answer', async () => {
    const server = createServer();
    const port = await listen(server);
    onTestFinished(() => void server.close());
    expect(await reason(`postgres://u:${SECRET}@127.0.0.1:${port}/x`, 50)).toBe(
      'the server did not answer in time; check host and port in the URL, and firewalls',
    );
  });
});

const bin = inject('postgresBin');
describe('A server that requires passwords', needs('PostgreSQL', bin), () => {
  let server: Cluster;
  const folder = ownFolder();
  const as = (user: string, rest = 'postgres') => {
    const { host } = new URL(server.url);
    return `postgres://${user}@${host}/${rest}`;
  };

  beforeAll(async () => {
    const rules = [
      'host all postgres 127.0.0.1/32 trust',
      'host all stranger 127.0.0.1/32 reject',
      'host all all 127.0.0.1/32 scram-sha-256',
    ];
    writeFileSync(join(folder.path, 'pg_hba.conf'), `${rules.join('\n')}\n`);
    server = await startCluster(bin ?? '', { hba_file: join(folder.path, 'pg_hba.conf') });
    const client = await connect(server.url);
    await client.query("create role audio login password 'right'; create role stranger login");
    await client.query(`create role "o'wner@home" login password ${pg.escapeLiteral(PUNCTUATION)}`);
    for (const name of ['points', 'copied'])
      await client.query(`create database ${name} owner "o'wner@home"`);
    await client.end();
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  it('differs from that of a missing server', async () => {
    expect(await reason(as(`audio:${SECRET}`))).toBe(
      `password authentication failed for user "audio": ${ADVICE}`,
    );
    expect(await reason(as('audio'))).toBe(
      'the server asks for a password, but the URL has none: set PGPASSWORD',
    );
    expect(await reason(as('stranger'))).toMatch(
      /"stranger".*: the server refuses this user from this host; see its pg_hba\.conf$/,
    );
    expect(await reason(as('postgres', 'nothing'))).toBe(
      'database "nothing" does not exist: create it, or name another in the URL',
    );
    expect(await reason(as('postgres', 'postgres?sslmode=verify-full'))).toMatch(
      /^the server does not support TLS/,
    );
  });

  it('lets every command in with a password of any characters', async () => {
    const { hostname, port } = new URL(server.url);
    const DATA_DIR = temporaryFolder();
    const env = { DATA_DIR, PGUSER: "o'wner@home", PGPASSWORD: PUNCTUATION, PGHOST: hostname, PGPORT: port };
    const userinfo = [env.PGUSER, PUNCTUATION].map(encodeURIComponent).join(':');
    const [beside, copied] = ['postgres:///points', `postgres://${userinfo}@${hostname}:${port}/copied`];
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const run = (args: string[], DATABASE_URL: string) => command({ DATA_DIR, DATABASE_URL }, args);
    const at = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(DATA_DIR, name), content);
      return join(DATA_DIR, name);
    };
    await Promise.all([run(['migrate'], beside), run(['migrate'], copied)]);
    const line = `${new Date().toISOString()},-7,440,false\n`;
    await run(['import', at('points.csv', `time,rms_db,frequency_hz,is_silence\n${line}`)], beside);
    await run(
      ['record', at('sound.wav', wav(encode('s16', [sine(1000)], 8000, 8000))), '--start', 'now-1h'],
      beside,
    );
    await run(['backup', join(DATA_DIR, 'points.backup')], beside);
    for (const name of ['PGUSER', 'PGPASSWORD', 'PGHOST', 'PGPORT']) vi.stubEnv(name, undefined);
    await run(['restore', join(DATA_DIR, 'points.backup')], copied);
    const { app } = await createTestApp(copied);
    onTestFinished(() => app.close());
    const answer = await app.inject(
      '/api/v1/stats/quality?from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z',
    );
    expect(answer.json()).toMatchObject({ point_count: 11 });
  });

  it('is printed by migrate, record and import, without the password', async () => {
    const DATABASE_URL = as(`audio:${SECRET}`);
    const migrate = start(['migrate'], { DATABASE_URL }); // a process, which prints why it ends
    const DATA_DIR = temporaryFolder();
    const record = call(['record', '-', '--rate', '8000', '--format', 's16le'], { DATABASE_URL, DATA_DIR });
    record.write(Buffer.alloc(16_000));
    const points = join(folder.path, 'points.csv');
    writeFileSync(points, 'time,rms_db,frequency_hz,is_silence\n2026-01-01T00:00:00Z,-7,440,false\n');
    const load = command({ DATABASE_URL }, ['import', points]).catch((error) => error);
    const reason = `password authentication failed for user "audio": ${ADVICE}`;
    expect(await migrate.ended).toBe(1);
    expect(migrate.output()).toBe(`The database cannot be reached\n  because: ${reason}\n`);
    expect(reasonOf(await load)).toBe(reason);
    // the recorder keeps measuring, and retries
    await expect
      .poll(record.output)
      .toMatch(`Warning: The database cannot be reached (${reason}). Points wait in `);
    expect(record.output()).not.toContain(SECRET);
  });
});
