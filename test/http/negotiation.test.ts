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
const SERIES = `/api/v1/stats/series?${DAY}&max_points=200`;
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

  it('writes the points of a range as an export does, in pages of JSON and in files of each type', async () => {
    const json = textOf(await get(RANGE));
    const lines = textOf(await get(EXPORT, NDJSON_TYPE));
    expect(lines.split('\n')).toHaveLength(2402);
    expect(json).toContain(`"points":[${lines.trimEnd().replaceAll('\n', ',')}]`);
    const rows = textOf(await get(EXPORT, 'text/csv'));
    const values = lines.replace(/\{?"\w+":"?|"(?=,)|\}|null/g, '');
    expect(rows === `time,rms_db,frequency_hz,is_silence\n${values}`).toBe(true);
    for (const [type, ending] of [
      ['text/csv', 'csv'],
      [NDJSON_TYPE, 'ndjson'],
    ] as const)
      expect((await get(EXPORT, type)).headers['content-disposition']).toBe(
        `attachment; filename="audio_2026-01-01T00-00-00.000000Z_2026-01-02T00-00-00.000000Z.${ending}"`,
      );
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
    const BRIEF = ['/api/v1/stats/summary', '/api/v1/health/ready', `${RANGE}&limit=5`, `${LATEST}?limit=0`];
    for (const path of [RANGE, LOUD, EXPORT, LATEST, '/api/v1/openapi.json', ...BRIEF])
      for (const accept of ['application/json', 'text/csv', 'image/png'])
        for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
          const [full, head] = [
            await get(path, accept, { 'accept-encoding': coding }),
            await get(path, accept, { 'accept-encoding': coding }, 'HEAD'),
          ];
          expect([head.status, stable(head.headers)]).toEqual([full.status, stable(full.headers)]);
          expect(head.body).toHaveLength(0);
          if (full.status === 200)
            expect(full.headers['content-encoding']).toBe(
              BRIEF.includes(path) || coding === 'identity' ? undefined : coding,
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

  it.each<[string | undefined, isJson: boolean, table: string | undefined, file: string | undefined]>([
    [undefined, true, JSON_TYPE, CSV_TYPE],
    ['', true, JSON_TYPE, CSV_TYPE],
    ['*/*', true, JSON_TYPE, CSV_TYPE],
    [BROWSER, true, JSON_TYPE, CSV_TYPE],
    ['application/json, text/plain, */*', true, JSON_TYPE, CSV_TYPE],
    ['application/json', true, JSON_TYPE, undefined],
    ['application/json; charset=UTF-8', true, JSON_TYPE, undefined],
    ['text/csv', false, CSV_TYPE, CSV_TYPE],
    ['TEXT/CSV; Header=Present', false, CSV_TYPE, CSV_TYPE],
    ['text/csv; header=absent', false, undefined, undefined],
    ['text/*', false, CSV_TYPE, CSV_TYPE],
    ['text/csv; delimiter=semicolon', false, undefined, SEMICOLON],
    ['application/*', true, JSON_TYPE, NDJSON_TYPE],
    ['application/x-ndjson', false, undefined, NDJSON_TYPE],
    ['application/json;q=0.2, text/csv;q=0.8, application/x-ndjson;q=0.5', true, CSV_TYPE, CSV_TYPE],
    ['text/csv;q=0.1, */*;q=0.2', true, JSON_TYPE, NDJSON_TYPE],
    ['text/csv;q=0, */*', true, JSON_TYPE, NDJSON_TYPE],
    ['application/json;q=0, */*', false, CSV_TYPE, CSV_TYPE],
    ['*/*;q=0.001', true, JSON_TYPE, CSV_TYPE],
    ['application/vnd.apache.parquet', false, undefined, PARQUET],
    ['application/vnd.apache.parquet, */*;q=0.1', true, JSON_TYPE, PARQUET],
    ['*/*;q=0', false, undefined, undefined],
    ['image/png', false, undefined, undefined],
    ['nonsense', false, undefined, undefined],
    ['image/png, application/x-ndjson;q=0.001', false, undefined, NDJSON_TYPE],
  ])(
    'chooses by Accept: %s (points as JSON: %s, a table: %s, a file: %s)',
    async (accept, isJson, table, file) => {
      const points = isJson ? JSON_TYPE : undefined;
      const FILE_TYPES = [CSV_TYPE, SEMICOLON, NDJSON_TYPE, PARQUET].join(', ');
      for (const [path, type, vary, available] of [
        [RANGE, points, undefined, `${JSON_TYPE}. For a file of points, use /api/v1/export/csv`],
        [LOUD, points, undefined, `${JSON_TYPE}. For a file of points, use /api/v1/export/csv`],
        [SERIES, table, 'accept', `${JSON_TYPE}, ${CSV_TYPE}`],
        [EXPORT, file, 'accept', FILE_TYPES],
      ] as const) {
        const { status, headers, body } = await get(path, accept === undefined ? {} : { accept });
        expect([status, headers['content-type']]).toEqual(
          type ? [200, type] : [406, 'application/problem+json'],
        );
        const isCompressible = type && type !== PARQUET;
        expect(headers.vary).toBe(
          isCompressible ? [...(vary ? [vary] : []), 'accept-encoding'].join(', ') : vary,
        );
        if (!type)
          expect(JSON.parse(body.toString())).toEqual({
            type: '/docs/errors#not-acceptable',
            title: 'Not Acceptable',
            status: 406,
            detail: `Accept allows nothing that is available: ${available}`,
            code: 'NOT_ACCEPTABLE',
            request_id: headers['x-request-id'],
          });
      }
    },
  );

  it('refuses an unavailable type before it queries', async () => {
    for (const path of ['/stats/summary', '/stats/frequencies', '/service/info']) {
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
        socket.write(`GET ${SERIES} HTTP/1.0\r\nHost: localhost\r\n${head}\r\n\r\n`),
      );
      return (await socket.setEncoding('utf8').toArray()).join('');
    };
    expect(await answerTo('Accept: image/png\r\nAccept: text/csv')).toContain(`content-type: ${CSV_TYPE}`);
    expect(await answerTo(`Accept: ${'a/b;c="d,",'.repeat(1000)}text/csv`)).toContain(CSV_TYPE);
    expect(await answerTo(`Accept-Encoding: ${',;q=='.repeat(2000)}`)).toContain('200 OK');
  });
});
