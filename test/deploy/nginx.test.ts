import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { freePort, listen } from '../cluster.ts';
import { engineOfWire, openForAll } from '../engines.ts';
import { send } from '../http/raw.ts';
import { needs } from '../needs.ts';
import { type Nginx, startNginx } from '../nginx.ts';
import { findProgram } from '../program.ts';
import { startBeside } from '../service.ts';
import { makeStation } from '../stations.ts';

const program = findProgram('nginx') ?? '';
if (!program) console.log('Skipped: nginx is not on this machine');

const PATHS = [
  '/api/v1/audio/latest?limit=10',
  '/api/v1/stats/summary?period=1h',
  '/api/v1/stats/series?from=now-1h&to=now&max_points=100',
  `/trpc/audio.latest,stats.summary?batch=1&input=${encodeURIComponent('{"0":{},"1":{"period":"6h"}}')}`,
];
/** The number of statements that all of these answers need. */
const STATEMENTS = 9;

describe('nginx of deploy/ha', needs('nginx', program), () => {
  const sharedSeconds = 1;
  const service = openForAll(() => startSmallService({ clock: Date.now, sharedSeconds }));
  let nginx: Nginx;
  const queryCounts = new Map<string, number>();
  beforeAll(async () => {
    // recent enough that the first query for the latest points finds them
    await service.sql(`insert into audio_data (time, rms_db)
      select now() - n * interval '1 s', -20 from generate_series(1, 1000) n`);
    await service.rollups.inUse(); // the rollups' state is queried only once
    const { query } = service.db;
    service.db.query = (statement, values, signal) => {
      const name = statement.name ?? statement.text;
      queryCounts.set(name, (queryCounts.get(name) ?? 0) + 1);
      return query(statement, values, signal);
    };
    nginx = await startNginx(program, [service.url, service.url, service.url], { sharedCache: true });
    return () => nginx.stop();
  });

  it('sends each request at most once per second, however many viewers there are', async () => {
    const start = performance.now();
    let answers = 0;
    const codings = ['gzip', 'br, gzip', 'zstd', 'identity'];
    await Promise.all(
      Array.from({ length: 40 }, async (_, viewer) => {
        for (const path of [...PATHS, ...PATHS, ...PATHS]) {
          const coding = codings[viewer % codings.length] ?? '';
          const { status } = await send(`${nginx.url}${path}`, { 'accept-encoding': coding });
          expect(status).toBe(200);
          answers++;
        }
      }),
    );
    const seconds = Math.ceil((performance.now() - start) / 1000);
    expect(answers).toBe(3 * 40 * PATHS.length);
    expect(queryCounts.size).toBeGreaterThan(0);
    const total = [...queryCounts.values()].reduce((sum, n) => sum + n);
    expect(total).toBeLessThanOrEqual(STATEMENTS * (seconds + 1));
  });

  it('delivers answers in the encoding and format that each client accepts', async () => {
    const path = '/api/v1/stats/series?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
    await service.sql(`insert into audio_data (time, rms_db)
      select '2026-01-01T01:00:00Z'::timestamptz + n * interval '1 s', -20 from generate_series(1, 100) n`);
    const direct = await send(`${service.url}${path}`);
    const compressed = await send(`${nginx.url}${path}`, { 'accept-encoding': 'gzip' });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    const plain = await send(`${nginx.url}${path}`);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body.toString()).toBe(direct.body.toString());
    const again = await send(`${nginx.url}${path}`, {
      'accept-encoding': 'gzip',
      'if-none-match': compressed.headers.etag ?? '',
    });
    expect(again.status).toBe(304);

    for (const accept of ['text/csv', 'application/json', 'text/*', '*/*']) {
      const kept = await send(`${nginx.url}${path}`, { accept });
      const { body, headers } = await send(`${service.url}${path}`, { accept });
      expect([accept, kept.headers['content-type'], kept.body.equals(body)]).toEqual([
        accept,
        headers['content-type'],
        true,
      ]);
    }

    const call = '/trpc/audio.latest?batch=1&input=%7B%7D';
    const whole = await send(`${nginx.url}${call}`);
    const pieces = await send(`${nginx.url}${call}`, { 'trpc-accept': 'application/jsonl' });
    expect(whole.body.toString()).toMatch(/^\[\{"result"/);
    expect(pieces.body.toString()).toMatch(/^\{"0":/);
  });

  it('forwards a stream to several listeners as it arrives', async () => {
    const listeners = await Promise.all(
      ['/api/v1/audio/live', '/api/v1/audio/live', '/trpc/audio.live'].map(async (path) => {
        const { status, headers, body } = await fetch(`${nginx.url}${path}`);
        expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
        const reader = body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.unreachable();
        let text = '';
        const until = async (what: string) => {
          while (!text.includes(what)) {
            const { value, done } = await reader.read();
            if (done) expect.fail(`the stream ended before ${what}: ${text}`);
            text += value;
          }
        };
        await until('id: ');
        return { until, end: () => reader.cancel() };
      }),
    );
    await service.sql(`insert into audio_data values (now(), -12.25, 440, false)`);
    for (const { until } of listeners) await until('"rms_db":-12.25');
    for (const { end } of listeners) await end();
  });

  it('caches neither errors nor files', async () => {
    for (const path of [
      '/api/v1/audio/latest?limit=0',
      '/api/v1/export/csv?from=now-1h&to=now',
      '/api/v1/health/ready',
    ]) {
      const [one, two] = [await send(`${nginx.url}${path}`), await send(`${nginx.url}${path}`)];
      expect(one.headers['cache-control']).toBe('no-store');
      expect(two.headers['x-request-id']).not.toBe(one.headers['x-request-id']);
    }
  });

  it('tries another service if one refuses, breaks off, or answers 503', async () => {
    let failures = 0;
    const failing = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
      const server = createServer((request, response) => {
        failures++;
        answer(request, response);
      });
      onTestFinished(() => void server.close());
      return `http://127.0.0.1:${await listen(server)}`;
    };
    const busy = await failing((_, response) => response.writeHead(503).end());
    const broken = await failing(({ socket }) => socket.destroy());
    const alone = await startNginx(program, [busy, service.url, broken], { sharedCache: false });
    onTestFinished(() => alone.stop());
    const all = await Promise.all(Array.from({ length: 60 }, () => send(`${alone.url}/api/v1/health/live`)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect(failures).toBeGreaterThan(0);
  });

  it('starts while a service is away, and uses the service that replaces it', async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const alone = await startNginx(program, [address, service.url, address], { sharedCache: false });
    onTestFinished(() => alone.stop());
    const sendAll = () =>
      Promise.all(Array.from({ length: 60 }, () => send(`${alone.url}/api/v1/health/live`)));
    expect(new Set((await sendAll()).map(({ status }) => status))).toEqual(new Set([200]));

    let requests = 0;
    const other = createServer((_, response) => {
      requests++;
      response.end('{}');
    });
    onTestFinished(() => void other.close());
    await once(other.listen(port, '127.0.0.1'), 'listening');
    expect(new Set((await sendAll()).map(({ status }) => status))).toEqual(new Set([200]));
    expect(requests).toBeGreaterThan(0);
  });

  it('routes stations of another server by name, and serves the others while that server is away', async () => {
    const serviceOf = async (station: string) => {
      const database = await engineOfWire().open();
      onTestFinished(() => database.close());
      await makeStation(database, station);
      return startBeside(database, { clock: Date.now });
    };
    const [north, south] = [await serviceOf('garden'), await serviceOf('yard')];
    onTestFinished(() => south.close());
    const both = await startNginx(program, [south.url, south.url, south.url], {
      sharedCache: false,
      north: north.url,
    });
    onTestFinished(() => both.stop());
    const status = async (path: string) => (await send(`${both.url}${path}`)).status;
    const all = [
      '/stations/garden/api/v1/audio/latest',
      '/stations/yard/api/v1/audio/latest',
      PATHS[0] ?? '',
    ];
    expect(await Promise.all(all.map(status))).toEqual([200, 200, 200]);
    expect(await status('/stations/street/api/v1/audio/latest')).toBe(404); // from the other server, which has no such station
    await north.close();
    expect(await Promise.all(all.map(status))).toEqual([502, 200, 200]);
  });
});

it('knows each service of deploy/ha by its address in compose.yaml', () => {
  const read = (file: string) => readFileSync(new URL(`../../deploy/ha/${file}`, import.meta.url), 'utf8');
  const compose = read('compose.yaml');
  const found = (text: string, pattern: RegExp) =>
    Array.from(text.matchAll(pattern), ([, ...parts]) => parts.join(' '));
  const given = found(compose, /^ {2}(\w+):\n {4}<<: \*service\n.*ipv4_address: ([\d.]+)/gm);
  expect(given).toHaveLength(3);
  expect(found(compose, /^ {6}- (\w+):([\d.]+)$/gm)).toEqual(given);
  expect(found(read('nginx.conf'), /^ {4}server (\w+):3000 /gm)).toEqual(
    given.map((each) => each.split(' ')[0]),
  );
});
