// The service accepts only its own hosts, and so refuses pages whose names resolve to it (DNS rebinding).
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createKey, readKeys } from '../../src/http/edge/api-keys.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { serve } from '../in-process.ts';
import { NO_DATABASE } from '../process.ts';

const { key, line } = createKey('a');
const open = openForAll(() => startSmallService({ hosts: ['Audio.example.com', 'audio-metrics'] }));
const keyed = openForAll(() => startSmallService({ keys: readKeys(line) }));

const REST = '/api/v1/audio/latest';
const POINTS = [
  REST,
  '/api/v1/export/csv?from=now-1m&to=now',
  '/trpc/audio.latest',
  '/trpc/audio.latest,health.live?batch=1',
];
const PAGES = ['/', '/docs', '/api/v1/openapi.json'];
const PROBES = [
  '/api/v1/health/live',
  '/api/v1/health/ready',
  '/trpc/health.live',
  '/trpc/health.live,health.ready?batch=1',
];

/** The answer to a request with these header lines, on its own connection. */
async function answer(url: string, target: string, head: readonly string[], version = '1.1') {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.write([`GET ${target} HTTP/${version}`, ...head, 'connection: close', '', ''].join('\r\n'));
  await once(socket, 'close');
  const [top = '', body = ''] = text.split('\r\n\r\n');
  const type = /^content-type: (.*?)(;.*)?\r?$/im.exec(top)?.[1];
  return { status: Number(top.split(' ')[1]), type, top, body };
}

const statuses = async (hosts: readonly string[], target: string) =>
  Object.fromEntries(
    await Promise.all(
      hosts.map(async (host) => [host, (await answer(open.url, target, [`host: ${host}`])).status] as const),
    ),
  );
const all = (hosts: readonly string[], status: number) =>
  Object.fromEntries(hosts.map((host) => [host, status]));

describe('Without keys', () => {
  it('local names, addresses and the names of the service are accepted, with any port', async () => {
    const hosts = [
      ...`localhost LOCALHOST:3000 localhost. a.localhost:1 raspberrypi.local:3000 127.0.0.1 192.0.2.7:3000 [::1]:3000`.split(
        ' ',
      ),
      ...['[2001:db8::1]', 'audio.example.com', 'AUDIO.example.com.:443', 'audio-metrics:3000'],
    ];
    for (const target of [REST, '/']) expect(await statuses(hosts, target)).toEqual(all(hosts, 200));
  });

  it('requests for any other name get 421, except for probes', async () => {
    const hosts = [
      ...['evil.example', 'evil.example:3000', 'localhost.evil.example', 'evillocalhost', 'example.com', ''],
      ...[
        'sub.audio.example.com',
        '127.0.0.1.evil.example',
        '2130706433',
        '0x7f.1',
        '[v1.x]',
        'xn--e1afmkfd.example',
      ],
    ];
    for (const target of [...POINTS, ...PAGES, '/nope'])
      expect([target, await statuses(hosts, target)]).toEqual([target, all(hosts, 421)]);
    for (const target of [REST, '/trpc/audio.latest', '/']) {
      const { type, body, top } = await answer(open.url, target, ['host: evil.example:1']);
      const [, id] = /^x-request-id: (.*?)\r?$/im.exec(top) ?? [];
      expect([type, JSON.parse(body)]).toEqual([
        'application/problem+json',
        {
          type: '/docs/errors#misdirected-request',
          title: 'Misdirected Request',
          status: 421,
          detail: 'The service does not accept the host "evil.example"; ALLOWED_HOSTS can add it',
          code: 'MISDIRECTED_REQUEST',
          request_id: id,
        },
      ]);
    }
  });

  it('probes are answered under any name', async () => {
    for (const target of PROBES)
      expect((await answer(open.url, target, ['host: evil.example'])).status).toBe(200);
  });

  it('the host of an absolute target takes precedence over Host', async () => {
    const get = async (host: string, at: string) =>
      (await answer(open.url, `http://${at}${REST}`, [`host: ${host}`])).status;
    expect([await get('evil.example', 'localhost'), await get('localhost', 'u:p@evil.example:1')]).toEqual([
      200, 421,
    ]);
  });
});

it('With keys any host is accepted', async () => {
  for (const [target, status] of [
    ['/', 200],
    [REST, 401],
  ] as const)
    expect((await answer(keyed.url, target, ['host: evil.example'])).status).toBe(status);
  const { status } = await answer(keyed.url, REST, ['host: evil.example', `authorization: Bearer ${key}`]);
  expect(status).toBe(200);
});

it.each([
  ['none', []],
  ['two', ['host: localhost', 'Host: evil.example']],
  ['one name twice', ['host: localhost', 'host: localhost']],
  ['a path', ['host: localhost/a']],
  ['a user', ['host: me@localhost']],
  ['two names', ['host: localhost, localhost']],
  ['a port that is not a number', ['host: localhost:http']],
  ['an address without brackets', ['host: ::1']],
  ['a missing bracket', ['host: [::1']],
])('A Host header with %s is malformed, for probes too, with keys and without', async (_, head) => {
  for (const { url } of [open, keyed])
    for (const target of [REST, '/', '/api/v1/health/live'])
      expect([target, (await answer(url, target, head)).status]).toEqual([target, 400]);
});

it('HTTP/1.0 may omit the host, but may not send two', async () => {
  expect((await answer(open.url, REST, [], '1.0')).status).toBe(200);
  expect((await answer(open.url, REST, ['host: a', 'host: b'], '1.0')).status).toBe(400);
});

it('ALLOWED_HOSTS names the service', async () => {
  const { address } = await serve({
    ALLOWED_HOSTS: 'audio.example.com, metrics',
    DATABASE_URL: NO_DATABASE,
  });
  const get = async (host: string) => (await answer(address, REST, [`host: ${host}`])).status;
  expect(await Promise.all(['audio.example.com', 'metrics:1', 'evil.example'].map(get))).toEqual([
    503, 503, 421,
  ]);
});
