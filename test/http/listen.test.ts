// One service listens on all addresses of localhost.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import { createKey } from '../../src/http/edge/api-keys.ts';
import { addressesOf, listen } from '../../src/http/listen.ts';
import { engineOfWire, openForAll } from '../engines.ts';
import { serve } from '../in-process.ts';
import { needs } from '../needs.ts';
import { NO_DATABASE, temporaryFolder } from '../process.ts';
import { ON_A_BUSY_MACHINE } from '../service.ts';
import { logged } from './service-on.ts';

const database = openForAll(() => engineOfWire().open());

async function startOn(...addresses: string[]) {
  const { lines, logger } = logged('info');
  const app = await createApp({ ...database, version: 'test', logger, limits: ON_A_BUSY_MACHINE });
  onTestFinished(() => app.close());
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    app.get('/held', async () => {
      resolve();
      await new Promise<void>((go) => {
        release = go;
      });
      return 'done';
    });
  });
  const url = await listen(app, addresses, 0, (at) => `listening at ${at}`);
  return { app, url, port: Number(new URL(url).port), lines, held, release: () => release() };
}

/** Everything that arrives until the connection closes. */
async function exchange(host: string, port: number, sent: string): Promise<string> {
  const socket = connect(port, host);
  let answer = '';
  socket.on('data', (text) => (answer += text));
  socket.write(sent);
  await once(socket, 'close');
  return answer;
}

// on other systems 127.0.0.2 is not a local address
const onLinux = needs('127.0.0.2', process.platform === 'linux');

it.each(['127.0.0.1', '127.0.0.2'])('Answers, refuses and logs alike: %s', onLinux, async (host) => {
  const { url, port, lines } = await startOn('127.0.0.1', '127.0.0.2');
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(lines.map(({ msg }) => msg)).toEqual([
    `listening at ${url}`,
    `listening at http://127.0.0.2:${port}`,
  ]);
  expect((await fetch(`http://${host}:${port}/api/v1/audio/latest`)).status).toBe(200);
  const head = 'GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n';
  for (const [sent, status, said] of [
    ['hello\r\n\r\n', 400, /it cannot be read/],
    [`${head}Connection: close\r\nExpect: 200-ok\r\n\r\n`, 417, /unsupported Expect header/],
  ] as const) {
    const answer = await exchange(host, port, sent);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const { request_id } = JSON.parse(answer.slice(answer.indexOf('{')));
    const { reqId, remoteAddress, msg } = lines.at(-1);
    expect([reqId, remoteAddress, msg]).toEqual([request_id, '127.0.0.1', expect.stringMatching(said)]);
  }
});

it('Closing ends idle connections on both addresses, and accepts no more', onLinux, async () => {
  const { app, port } = await startOn('127.0.0.1', '127.0.0.2');
  const live = 'GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const hosts = ['127.0.0.1', '127.0.0.2'];
  const sockets = hosts.map((host) => connect(port, host));
  for (const socket of sockets) {
    socket.write(live);
    await once(socket, 'data');
  }
  const ended = sockets.map((socket) => once(socket, 'close'));
  await app.close();
  await Promise.all(ended);
  for (const host of hosts)
    await expect(once(connect(port, host), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('Closing waits for answers on both addresses', onLinux, async () => {
  const { app, port, held, release } = await startOn('127.0.0.1', '127.0.0.2');
  const answer = fetch(`http://127.0.0.2:${port}/held`).then((response) => response.text());
  await held;
  let isClosed = false;
  const closing = app.close().then(() => {
    isClosed = true;
  });
  for (const host of ['127.0.0.1', '127.0.0.2'])
    await expect
      .poll(() => once(connect(port, host), 'connect').catch(({ code }) => code))
      .toBe('ECONNREFUSED');
  expect(isClosed).toBe(false);
  release();
  expect(await answer).toBe('done');
  await closing;
});

it('Listens on the first address if another is not available', async () => {
  const { url, lines } = await startOn('127.0.0.1', '192.0.2.1');
  expect((await fetch(`${url}/api/v1/health/live`)).status).toBe(200);
  expect(lines.at(-1)).toMatchObject({
    level: 40,
    msg: expect.stringMatching(/^Cannot listen on 192\.0\.2\.1, port \d+; /),
  });
});

it('Only localhost may have several addresses', async () => {
  expect(await addressesOf('0.0.0.0')).toEqual(['0.0.0.0']);
  expect(await addressesOf('localhost')).toContain('127.0.0.1');
});

it('Warns once if other machines can reach a service without keys', async () => {
  const keys = join(temporaryFolder(), 'keys');
  writeFileSync(keys, `${createKey('a').line}\n`);
  for (const [HOST, API_KEYS_FILE, warnings] of [
    ['0.0.0.0', '', 1],
    ['localhost', '', 0],
    ['0.0.0.0', keys, 0],
  ] as const) {
    const { output } = await serve({ HOST, API_KEYS_FILE, DATABASE_URL: NO_DATABASE });
    const said = output().match(/Everyone who can reach HOST/g) ?? [];
    expect([HOST, API_KEYS_FILE, said.length]).toEqual([HOST, API_KEYS_FILE, warnings]);
  }
});
