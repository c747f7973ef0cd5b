// Bearer keys: accepted callers, refused callers, and the lines of the log about them.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, isServiceError } from '../../src/client/index.ts';
import { createKey, readKeys } from '../../src/http/edge/api-keys.ts';
import { callerName } from '../../src/http/edge/caller.ts';
import { openKeys } from '../../src/http/edge/keys-file.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { fetchDocument, operationAt } from '../openapi/document.ts';
import { NO_DATABASE, start, temporaryFolder } from '../process.ts';
import type { TestService } from '../service.ts';
import { open, send } from './raw.ts';

const { key, line } = createKey('dashboard');
const REST = '/api/v1/audio/latest?limit=1';
const RPC = '/trpc/audio.latest';

describe('A service with keys', () => {
  let service: TestService;
  const lines: string[] = [];
  const callers: string[] = [];
  beforeAll(async () => {
    const logger = pino({ level: 'debug' }, { write: (text: string) => void lines.push(text) });
    const keys = readKeys(`# who\n\n${line}\n${createKey('other').line}`);
    service = await startSmallService({ logger, keys, corsOrigins: ['https://a.example'] });
  });
  beforeEach(() => {
    lines.length = callers.length = 0;
  });
  afterAll(() => service?.close());

  const get = (path: string, authorization?: string, headers = {}, method = 'GET') =>
    send(
      `${service.url}${path}`,
      { ...(authorization !== undefined && { authorization }), ...headers },
      method,
    );

  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])(
    'accepts a caller that sends %s and a key',
    async (scheme) => {
      for (const path of [REST, RPC, '/api/v1/export/csv?from=now-1m&to=now']) {
        const { status, headers } = await get(path, `${scheme} ${key}`);
        expect([path, status]).toEqual([path, 200]);
        expect(headers.vary).toContain('authorization');
        expect(headers['cache-control']).not.toContain('public');
      }
    },
  );

  it.each([
    ['no header', undefined, 'Bearer'],
    ['nothing', '', 'Bearer'],
    ['another scheme', `Basic ${key}`, 'Bearer'],
    ['the key alone', key, 'Bearer'],
    ['a scheme alone', 'Bearer', 'Bearer error="invalid_token"'],
    ['another key', `Bearer ${createKey('x').key}`, 'Bearer error="invalid_token"'],
    ['part of a key', `Bearer ${key.slice(0, -1)}`, 'Bearer error="invalid_token"'],
    ['a key in capitals', `Bearer ${key.toUpperCase()}`, 'Bearer error="invalid_token"'],
    ['the digest', `Bearer ${line.split(' ')[1]}`, 'Bearer error="invalid_token"'],
    ['two keys', `Bearer ${key}, Bearer ${key}`, 'Bearer error="invalid_token"'],
    ['a tab', `Bearer\t${key}`, 'Bearer error="invalid_token"'],
    ['letters beyond ASCII', `Bearer ${key}é`, 'Bearer error="invalid_token"'],
    ['a long one', `Bearer ${'a'.repeat(10_000)}`, 'Bearer error="invalid_token"'],
  ])('refuses %s', async (_, authorization, challenge) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await get(REST, authorization, {}, method);
      expect([
        status,
        headers['www-authenticate'],
        headers['content-type'],
        headers['cache-control'],
      ]).toEqual([401, challenge, 'application/problem+json', 'no-store']);
      if (method === 'GET')
        expect(JSON.parse(body.toString())).toMatchObject({
          status: 401,
          code: 'UNAUTHORIZED',
          title: 'Unauthorized',
          request_id: headers['x-request-id'],
        });
    }
    for (const path of [
      RPC,
      '/trpc/health.live,audio.latest?batch=1',
      '/trpc/health.live%2Caudio.latest?batch=1',
    ]) {
      const rpc = await get(path, authorization);
      expect([path, rpc.status, rpc.headers['www-authenticate']]).toEqual([path, 401, challenge]);
      expect(JSON.parse(rpc.body.toString()).error.data).toMatchObject({
        code: 'UNAUTHORIZED',
        httpStatus: 401,
      });
    }
    expect(lines.join()).not.toContain(key.slice(3));
  });

  it('refuses two headers, even if one has a valid key', async () => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const { request } = await import('node:http');
    const headers = ['host', 'x', 'authorization', `Bearer ${key}`, 'Authorization', 'Bearer x'];
    request(`${service.url}${REST}`, { headers }, (answer) => resolve(answer.resume().statusCode)).end();
    expect(await promise).toBe(401);
  });

  it.each([
    '/',
    '/docs',
    '/docs/start.js',
    '/api/v1/openapi.json',
    '/api/v1/health/live',
    '/api/v1/health/ready?probe=1',
    '/trpc/health.live',
    '/trpc/health.live,health.ready?batch=1',
    '/nope',
  ])('leaves %s open', async (path) => {
    expect([200, 302, 404]).toContain((await get(path)).status);
  });

  it('answers a CORS preflight, and lets a page read the reason for a refusal', async () => {
    const origin = 'https://a.example';
    const preflight = await get(
      REST,
      undefined,
      { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
      'OPTIONS',
    );
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([
      204,
      'authorization',
    ]);
    const refused = await get(REST, undefined, { origin });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin]);
    expect(refused.headers['access-control-expose-headers']).toContain('www-authenticate');
  });

  it('accepts single calls, batches and streams of the typed client with its key', async () => {
    const interval = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const client = createClient(service.url, { apiKey: key, headers: { 'x-request-id': 'mine' } });
    expect((await client.audio.latest.query()).points).toHaveLength(3);
    const both = [client.audio.latest.query(), client.stats.summary.query()] as const;
    expect((await Promise.all(both))[0].points).toHaveLength(3);
    let csv = '';
    for await (const text of await client.export.csv.query(interval)) csv += text;
    expect(csv.split('\n')).toHaveLength(5);
    expect(new Set(lines.map((text) => JSON.parse(text).reqId))).toEqual(new Set(['mine']));
    const without = createClient(service.url);
    for (const call of [
      () => without.audio.latest.query(),
      () => Promise.all([without.audio.latest.query(), without.stats.summary.query()]),
      async () => {
        for await (const _ of await without.export.csv.query(interval));
      },
    ]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(isServiceError(error) && error.data.code).toBe('UNAUTHORIZED');
    }
  });

  it('logs the name of the key, and never the key', async () => {
    await get(REST, `Bearer ${key}`);
    await get('/api/v1/audio/latest?limit=0', `Bearer ${key}`);
    await get(`/api/v1/audio/latest?q=${key}`);
    await expect.poll(() => lines).toHaveLength(3);
    expect(
      lines.map((text) => JSON.parse(text)).map(({ level, req, res }) => [level, req.key, res.statusCode]),
    ).toEqual([
      [20, 'dashboard', 200],
      [30, 'dashboard', 400],
      [30, undefined, 401],
    ]);
    expect(lines.join()).not.toContain(key.slice(3));
  });

  it('declares keys in its OpenAPI document', async () => {
    const document = await fetchDocument(service.url);
    expect(document).toMatchObject({
      security: [],
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    });
    const latest = operationAt(document, '/audio/latest');
    expect(latest).toMatchObject({ security: [{ key: [] }] });
    expect(latest.responses[401]?.headers).toHaveProperty('www-authenticate');
    const live = operationAt(document, '/health/live');
    expect([live.responses[401], 'security' in live]).toEqual([undefined, false]);
  });

  it('distinguishes callers by their keys', async () => {
    const request = { ip: '127.0.0.1' };
    expect(callerName({ ...request, owner: { name: 'dashboard' } } as Parameters<typeof callerName>[0])).toBe(
      'dashboard',
    );
    expect(callerName({ ...request, owner: undefined } as Parameters<typeof callerName>[0])).toBe(
      '127.0.0.1',
    );
  });
});

it('A service without keys does not mention them', async () => {
  const service = await startSmallService();
  onTestFinished(() => service.close());
  expect(JSON.stringify(await fetchDocument(service.url))).not.toMatch(/bearer|"401"/i);
  const { headers, statusCode } = (
    await open(`${service.url}${REST}`, { authorization: 'Bearer x' })
  ).resume();
  expect([statusCode, `${headers.vary}`.includes('authorization')]).toEqual([200, false]);
});

describe('A file of keys', () => {
  it('may have comments, blank lines, CRLF, and a repeated name', () => {
    const [one, two] = [createKey('a'), createKey('a')];
    const keys = readKeys(
      `\uFEFF# keys\r\n\r\n  ${one.line}  \r\n${two.line.toUpperCase().replace('A', 'a')}\r\n`,
    );
    expect([keys.ownerOf(one.key)?.name, keys.ownerOf(two.key)?.name, keys.ownerOf('')?.name]).toEqual([
      'a',
      'a',
      undefined,
    ]);
    expect(one.key).toMatch(/^am_[\w-]{43}$/);
  });

  it('is read in time proportional to its length, even if most lines are empty', () => {
    const keys = readKeys(`${'\n'.repeat(500_000)}${line}\n`); // in quadratic time this would take minutes
    expect([keys.count, keys.ownerOf(key)?.name]).toEqual([1, 'dashboard']);
    expect(readKeys('\n'.repeat(500_000)).count).toBe(0);
  });

  it('reports every bad line by number, and prints none', () => {
    const bad = [
      'a',
      `a b ${'0'.repeat(64)}`,
      `é ${'0'.repeat(64)}`,
      `a ${key}`,
      line,
      line,
      `a ${'0'.repeat(63)}`,
    ];
    const error = (() => {
      try {
        return readKeys(bad.join('\n'));
      } catch (thrown) {
        return `${thrown}`;
      }
    })();
    expect(`${error}`.match(/line \d/g)).toEqual([
      'line 1',
      'line 2',
      'line 3',
      'line 4',
      'line 6',
      'line 7',
    ]);
    expect(error).not.toContain(key);
  });

  it('prevents the start if it is bad; `key` creates a line for it', async () => {
    const made = start(['key', 'my-script']);
    expect(await made.ended).toBe(0);
    const [, secret = '', found = ''] = /^(am_\S+)[\s\S]*^(my-script \S+)$/m.exec(made.output()) ?? [];
    expect(readKeys(found).ownerOf(secret)?.name).toBe('my-script');
    const folder = temporaryFolder();
    const path = join(folder, 'keys');
    writeFileSync(path, `${found}\nbad line\n`);
    writeFileSync(`${path}.cut`, found);
    execFileSync('mkfifo', [`${path}.pipe`]);
    for (const [file, message] of [
      [`${path}.cut`, /API_KEYS_FILE is .*The last line has no line break/s],
      [
        `${path}.none`,
        /API_KEYS_FILE is .*There is no such file; `npm run key -- NAME` prints a line for it/s,
      ],
      [`${path}.pipe`, /API_KEYS_FILE is .*It is not a regular file/s],
      [folder, /API_KEYS_FILE is .*It is not a regular file/s],
    ] as const)
      await expect(openKeys(file, { info() {}, warn() {} })).rejects.toThrow(message);
    const refused = start(['serve'], { DATABASE_URL: NO_DATABASE, API_KEYS_FILE: path });
    expect(await refused.ended).toBe(2);
    expect(refused.output()).toMatch(/API_KEYS_FILE is .*\n {2}line 2: after the name, give/);
    expect(await start(['key', 'a name']).ended).toBe(2);
  });
});
