import { beforeAll, describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { fetchDocument, operationAt } from '../openapi/document.ts';
import { insertPoints } from '../service.ts';
import { send } from './raw.ts';

const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
const DATA = [
  `/api/v1/audio/range?${DAY}`,
  '/api/v1/stats/summary?period=24h&to=2026-01-02T00:00:00Z',
  '/api/v1/stats/series?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&bucket=1h',
  `/api/v1/events/loud?${DAY}`,
];

describe('caching', () => {
  const service = openForAll(() => startSmallService());
  beforeAll(async () => {
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '1 min', -10, 440 from generate_series(1, 100) n`);
  });
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(`${service.url}${path}`, headers, method);

  it.each(DATA)(
    '%s has a tag for each type and encoding, and is 304 for a caller that has it',
    async (path) => {
      const tags = new Map<string, string>();
      const types = path.includes('series') ? ['application/json', 'text/csv'] : ['application/json'];
      for (const accept of types)
        for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
          const full = await get(path, { accept, 'accept-encoding': coding });
          const { etag = '', vary, 'cache-control': kept, 'content-encoding': sent } = full.headers;
          expect([kept, etag]).toEqual(['private, no-cache', expect.stringMatching(/^"[\w-]{22,}"$/)]);
          expect(vary).toBe(types.length > 1 ? 'accept, accept-encoding' : 'accept-encoding');
          tags.set(`${accept} ${sent}`, etag);
          for (const method of ['GET', 'HEAD'])
            for (const known of [etag, `"other", ${etag}`, `"a,b",W/${etag}`, '*']) {
              const headers = { accept, 'accept-encoding': coding, 'if-none-match': known };
              const { status, headers: found, body } = await get(path, headers, method);
              expect([method, known, status, body.length]).toEqual([method, known, 304, 0]);
              expect(found).toMatchObject({ etag, vary, 'cache-control': kept });
              for (const name of ['content-length', 'content-type', 'content-encoding'])
                expect(found[name], name).toBeUndefined();
            }
        }
      expect(new Set(tags.values()).size).toBe(tags.size);
    },
  );

  it.each(['"other"', 'W/"other"', '', 'garbage', '"*"'])(
    'If-None-Match: %s does not match',
    async (known) => {
      const { status, body } = await get('/api/v1/audio/latest', { 'if-none-match': known });
      expect([status, JSON.parse(body.toString()).points.length]).toEqual([200, 100]);
    },
  );

  it('hides neither a late point nor a deletion from the next caller', async () => {
    const path = DATA[0] ?? '';
    const { etag = '' } = (await get(path)).headers;
    await service.sql(insertPoints([['2026-01-01T00:00:00.5Z', -3, 300]]));
    const changed = await get(path, { 'if-none-match': etag });
    expect([changed.status, changed.headers.etag === etag]).toEqual([200, false]);
    await service.sql("delete from audio_data where time = '2026-01-01T00:00:00.5Z'");
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
  });

  it('is forbidden for health, errors, files and the latest points', async () => {
    for (const path of [
      '/api/v1/audio/latest',
      '/trpc/audio.latest',
      '/api/v1/health/live',
      '/api/v1/health/ready',
      '/api/v1/audio/latest?limit=0',
      '/api/v1/nope',
      `/api/v1/export/csv?${DAY}`,
      '/trpc/health.live',
      '/trpc/audio.latest,health.ready?batch=1',
      '/trpc/audio.latest?input=%7B%22limit%22%3A0%7D',
      '/trpc/audio.latest,audio.range?batch=1',
    ]) {
      const { headers } = await get(path, { 'if-none-match': '*' });
      expect([path, headers['cache-control'], headers.etag]).toEqual([path, 'no-store', undefined]);
    }
  });

  it('is declared in the OpenAPI document', async () => {
    const document = await fetchDocument(service.url);
    for (const path of ['/audio/range', '/stats/summary', '/stats/series', '/events/loud']) {
      const { parameters, responses } = operationAt(document, path);
      for (const status of ['200', '304'])
        expect(Object.keys(responses[status]?.headers ?? {})).toEqual(
          expect.arrayContaining(['etag', 'cache-control', 'x-request-id']),
        );
      expect(responses['304']).not.toHaveProperty('content');
      expect(parameters?.map((parameter) => parameter.in)).not.toContain('header');
    }
  });
});
