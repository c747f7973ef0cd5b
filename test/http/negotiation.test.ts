import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { startTestService } from '../service.ts';
import { open, send, textOf } from './raw.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
const NDJSON_TYPE = 'application/x-ndjson';
const SEMICOLON = `${CSV_TYPE}; delimiter=semicolon`;
const PARQUET = 'application/vnd.apache.parquet';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
const RANGE = `/api/v1/audio/range?${DAY}`;
const LOUD = `/api/v1/events/loud?${DAY}&threshold=-20`;
const EXPORT = `/api/v1/export/csv?${DAY}`;
const SERVICE_DESC = '<../openapi.json>; rel="service-desc"';

const POINTS = `insert into audio_data (time, rms_db, frequency_hz, is_silence)
  select '2026-01-01Z'::timestamptz + n * interval '1.000007 s', nullif(-(n % 500) / 10.0, -3)::real,
    nullif(100 + n % 7900, 105), n % 3 = 0 from generate_series(1, 2400) n`;

describeOnWire('points in the format that the caller accepts', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(async () => {
    await service.sql(`${POINTS} union all select '2026-01-01T12:00:00Z', -1e-5, null, false`);
  });
  const get = (path: string, accept?: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(`${service.url}${path}`, { ...(accept !== undefined && { accept }), ...headers }, method);

  it('returns all points of a range as the rows of an export', async () => {
    for (const type of ['text/csv', NDJSON_TYPE]) {
      const [range, file] = [await get(RANGE, type), await get(EXPORT, type)];
      expect(range.headers['content-type']).toBe(file.headers['content-type']);
      expect(range.headers['content-type']?.startsWith(type)).toBe(true);
      expect(textOf(range) === textOf(file)).toBe(true);
      expect(textOf(range).split('\n')).toHaveLength(type === NDJSON_TYPE ? 2402 : 2403);
      expect([range.headers['content-disposition'], file.headers['content-disposition']]).toEqual([
        undefined,
        `attachment; filename="audio_2026-01-01T00-00-00.000000Z_2026-01-02T00-00-00.000000Z.${type === NDJSON_TYPE ? 'ndjson' : 'csv'}"`,
      ]);
    }
  });

  it.each([
    ['a short range', `${RANGE}&limit=3`],
    ['a long range', RANGE],
    ['loud points', LOUD],
    ['no points', '/api/v1/audio/range?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z'],
  ])('writes the points of %s as lines, each byte for byte as in the JSON answer', async (_, path) => {
    const json = textOf(await get(path));
    const lines = textOf(await get(path, NDJSON_TYPE));
    expect(lines === '' || lines.endsWith('}\n')).toBe(true);
    expect(json).toContain(`"points":[${lines.trimEnd().replaceAll('\n', ',')}]`);
  });

  it.each([
    ['text/csv', CSV_TYPE],
    [NDJSON_TYPE, NDJSON_TYPE],
  ])(
    'links to the next page in %s by the header alone, and pages return every point once',
    async (accept, type) => {
      let path = `${RANGE}&limit=1100`;
      let text = '';
      for (let page = 1; path; page++) {
        const answer = await get(path, accept);
        expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
        const { link = '' } = answer.headers as { link?: string };
        const [, next] = /^<([^>]*)>; rel="next", /.exec(link) ?? [];
        path = next ? `/api/v1/audio/${next}` : '';
        expect(link.endsWith(SERVICE_DESC)).toBe(true);
        expect(path !== '').toBe(page < 3);
        const lines = textOf(answer);
        if (page > 1 && type === CSV_TYPE) expect(lines).toMatch(/^time,rms_db,frequency_hz,is_silence\n/);
        text += page > 1 && type === CSV_TYPE ? lines.slice(lines.indexOf('\n') + 1) : lines;
      }
      expect(text === textOf(await get(EXPORT, accept))).toBe(true);
    },
  );

  it('gives every representation its own ETag, for which it answers 304', async () => {
    for (const path of [RANGE, `${RANGE}&limit=3`, LOUD]) {
      const tags = new Set<string>();
      for (const accept of ['application/json', 'text/csv', NDJSON_TYPE])
        for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
          const full = await get(path, accept, { 'accept-encoding': coding });
          const { etag = '', vary } = full.headers;
          expect(vary).toBe('accept, accept-encoding');
          for (const [known, status] of [
            [etag, 304],
            [[...tags].filter((tag) => tag !== etag).join(), 200],
          ] as const)
            for (const method of ['GET', 'HEAD']) {
              const headers = { 'accept-encoding': coding, 'if-none-match': known };
              const again = await get(path, accept, headers, method);
              expect([again.status, again.headers.etag, again.headers.vary]).toEqual([status, etag, vary]);
            }
          tags.add(etag);
        }
      expect(tags.size).toBeGreaterThanOrEqual(path.includes('limit=3') ? 3 : 12);
    }
  });

  it('returns for HEAD the headers of GET', async () => {
    const stable = (headers: object) => ({
      ...headers,
      date: '',
      'x-request-id': '',
      connection: '',
      'transfer-encoding': '',
    });
    const LATEST = '/api/v1/audio/latest';
    const SUMMARY = '/api/v1/stats/summary';
    for (const path of [`${RANGE}&limit=5`, RANGE, LOUD, EXPORT, LATEST, SUMMARY])
      for (const accept of ['application/json', 'text/csv', NDJSON_TYPE, 'image/png'])
        for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
          const [full, head] = [
            await get(path, accept, { 'accept-encoding': coding }),
            await get(path, accept, { 'accept-encoding': coding }, 'HEAD'),
          ];
          expect([head.status, stable(head.headers)]).toEqual([full.status, stable(full.headers)]);
          expect(head.body).toHaveLength(0);
          if (full.status === 200)
            expect(full.headers['content-encoding']).toBe(
              path.includes('limit') || path === SUMMARY || coding === 'identity' ? undefined : coding,
            );
        }
  });
});

describe('negotiation', () => {
  const service = openForAll(() => startSmallService());
  beforeAll(async () => {
    await service.sql(POINTS);
  });
  const get = (path: string, headers: Record<string, string> = {}) => send(`${service.url}${path}`, headers);
  const linkOf = ({ headers: { link } }: { headers: IncomingHttpHeaders }) => link;

  it.each<[string | undefined, string | undefined, string | undefined]>([
    [undefined, JSON_TYPE, CSV_TYPE],
    ['', JSON_TYPE, CSV_TYPE],
    ['*/*', JSON_TYPE, CSV_TYPE],
    [BROWSER, JSON_TYPE, CSV_TYPE],
    ['application/json, text/plain, */*', JSON_TYPE, CSV_TYPE],
    ['application/json', JSON_TYPE, undefined],
    ['application/json; charset=UTF-8', JSON_TYPE, undefined],
    ['text/csv', CSV_TYPE, CSV_TYPE],
    ['TEXT/CSV; Header=Present', CSV_TYPE, CSV_TYPE],
    ['text/csv; header=absent', undefined, undefined],
    ['text/*', CSV_TYPE, CSV_TYPE],
    ['text/csv; delimiter=semicolon', undefined, SEMICOLON],
    ['application/*', JSON_TYPE, NDJSON_TYPE],
    ['application/x-ndjson', NDJSON_TYPE, NDJSON_TYPE],
    ['application/json;q=0.2, text/csv;q=0.8, application/x-ndjson;q=0.5', CSV_TYPE, CSV_TYPE],
    ['text/csv;q=0.1, */*;q=0.2', JSON_TYPE, NDJSON_TYPE],
    ['text/csv;q=0, */*', JSON_TYPE, NDJSON_TYPE],
    ['application/json;q=0, */*', CSV_TYPE, CSV_TYPE],
    ['*/*;q=0.001', JSON_TYPE, CSV_TYPE],
    ['application/vnd.apache.parquet', undefined, PARQUET],
    ['application/vnd.apache.parquet, */*;q=0.1', JSON_TYPE, PARQUET],
    ['*/*;q=0', undefined, undefined],
    ['image/png', undefined, undefined],
    ['nonsense', undefined, undefined],
    ['image/png, application/x-ndjson;q=0.001', NDJSON_TYPE, NDJSON_TYPE],
  ])('answers Accept: %s with %s for a range, and %s for an export', async (accept, range, file) => {
    for (const [path, type] of [
      [RANGE, range],
      [LOUD, range],
      [EXPORT, file],
    ] as const) {
      const { status, headers, body } = await get(path, accept === undefined ? {} : { accept });
      expect([status, headers['content-type']]).toEqual(
        type ? [200, type] : [406, 'application/problem+json'],
      );
      expect(headers.vary).toBe(type && type !== PARQUET ? 'accept, accept-encoding' : 'accept');
      if (!type)
        expect(JSON.parse(body.toString())).toEqual({
          type: 'about:blank',
          title: 'Not Acceptable',
          status: 406,
          detail: `Accept allows nothing that is available: ${path === EXPORT ? '' : `${JSON_TYPE}, `}${path === EXPORT ? `${CSV_TYPE}, ${SEMICOLON}, ${NDJSON_TYPE}, ${PARQUET}` : `${CSV_TYPE}, ${NDJSON_TYPE}`}`,
          code: 'NOT_ACCEPTABLE',
          request_id: headers['x-request-id'],
        });
    }
  });

  it('refuses an unavailable type before it queries', async () => {
    for (const path of ['/audio/latest', '/stats/summary', '/stats/frequencies', '/service/info']) {
      const { status, headers, body } = await get(`/api/v1${path}`, { accept: 'text/csv' });
      expect([path, status, headers['cache-control']]).toEqual([path, 406, 'no-store']);
      expect(JSON.parse(body.toString()).detail).toBe(
        `Accept allows nothing that is available: ${JSON_TYPE}`,
      );
    }
    const live = await get('/api/v1/audio/live', { accept: 'application/json' });
    expect([live.status, live.body.toString()]).toEqual([406, expect.stringContaining('text/event-stream')]);
  });

  it('answers probes whatever they accept', async () => {
    for (const path of ['/api/v1/health/live', '/api/v1/health/ready'])
      for (const header of ['accept', 'accept-encoding'])
        expect((await get(path, { [header]: '*/*;q=0, *;q=0' })).status).toBe(200);
  });

  it('links every REST answer to the OpenAPI document (RFC 8631), including errors and streams', async () => {
    for (const path of [
      '/stats/summary',
      '/health/live',
      '/audio/latest?limit=0',
      '/audio/nope',
      `/export/csv?${DAY}`,
    ])
      expect([path, linkOf(await get(`/api/v1${path}`))]).toEqual([path, SERVICE_DESC]);
    const live = await open(`${service.url}/api/v1/audio/live`);
    live.destroy();
    expect(linkOf(live)).toBe(SERVICE_DESC);
    expect(linkOf(await get(`${RANGE}&limit=1`))).toMatch(
      /^<range\?[^>]*&cursor=[\w-]*>; rel="next", <\.\.\/openapi.json>; rel="service-desc"$/,
    );
    expect((await service.get('/openapi.json')).body.openapi).toMatch(/^3\.1/);
  });

  it.each([
    ['gzip, identity;q=0', 'gzip'],
    ['identity;q=0, *', 'gzip'],
    ['*;q=0, br', 'br'],
    ['zstd;q=0.1,*;q=0', 'zstd'],
  ])('compresses small answers too for "%s"', async (accepted, coding) => {
    for (const path of [
      '/api/v1/stats/summary',
      '/api/v1/health/live',
      '/api/v1/audio/range?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z',
      RANGE,
      EXPORT,
      '/api/v1/audio/latest?limit=0',
      '/api/v1/nope',
      '/trpc/health.live',
      '/docs/start.js',
    ]) {
      const [answer, plain] = [await get(path, { 'accept-encoding': accepted }), await get(path)];
      expect([path, answer.status, answer.headers['content-encoding']]).toEqual([path, plain.status, coding]);
      const same = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
      expect(same(textOf(answer)) === same(plain.body.toString())).toBe(true);
      const { etag } = answer.headers;
      if (!etag) continue;
      expect(etag).not.toBe(plain.headers.etag);
      const again = await get(path, { 'accept-encoding': accepted, 'if-none-match': etag });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    }
  });

  it.each(['identity;q=0', '*;q=0', 'deflate, identity;q=0', 'gzip;q=0, *;q=0'])(
    'refuses "%s", which allows no available encoding',
    async (accepted) => {
      for (const path of [
        '/api/v1/stats/summary',
        RANGE,
        EXPORT,
        '/trpc/audio.latest',
        '/api/v1/audio/live',
        '/docs/',
      ]) {
        const { status, headers, body } = await get(path, { 'accept-encoding': accepted });
        expect([path, status, headers['content-type']]).toEqual([path, 406, 'application/problem+json']);
        expect(JSON.parse(body.toString()).detail).toBe(
          'Accept-Encoding allows nothing that is available: zstd, br, gzip',
        );
      }
      expect((await get('/api/v1/nope', { 'accept-encoding': accepted })).status).toBe(404);
    },
  );

  it('refuses a stream of events that would have to be compressed', async () => {
    const answer = await get('/api/v1/audio/live', { 'accept-encoding': 'gzip, identity;q=0' });
    const detail = 'Accept-Encoding allows nothing that is available: identity';
    expect([answer.status, JSON.parse(textOf(answer)).detail]).toEqual([406, detail]);
  });

  it('reads a repeated header, and a header of the maximum length', async () => {
    const { port } = new URL(service.url);
    const answerTo = async (head: string) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`GET ${RANGE}&limit=1 HTTP/1.0\r\nHost: localhost\r\n${head}\r\n\r\n`),
      );
      return (await socket.setEncoding('utf8').toArray()).join('');
    };
    expect(await answerTo('Accept: image/png\r\nAccept: text/csv')).toContain(`content-type: ${CSV_TYPE}`);
    expect(await answerTo(`Accept: ${'a/b;c="d,",'.repeat(1000)}text/csv`)).toContain(CSV_TYPE);
    expect(await answerTo(`Accept-Encoding: ${',;q=='.repeat(2000)}`)).toContain('200 OK');
  });
});
