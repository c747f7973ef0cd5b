import { describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { send } from './raw.ts';

const SHORT = 'public, max-age=0, s-maxage=5, stale-while-revalidate=5';
const LONG = 'public, max-age=0, s-maxage=300, stale-while-revalidate=300';
const DAY = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
const query = (input: object) => new URLSearchParams(input as Record<string, string>);
const single = (path: string, input: object) =>
  `/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`;
const batch = (...calls: [path: string, input: object][]) =>
  `/trpc/${calls.map(([path]) => path)}?batch=1&input=${encodeURIComponent(
    JSON.stringify(Object.fromEntries(calls.map(([, input], i) => [i, input]))),
  )}`;

describe('shared caches, set to 5 seconds, and to 10 minutes until data is settled', () => {
  const service = openForAll(() => startSmallService({ sharedSeconds: 5 }));
  const get = (path: string, headers: Record<string, string> = {}) => send(`${service.url}${path}`, headers);
  async function expectHeaders(cacheControl: string, paths: string[]) {
    for (const path of paths)
      expect([path, (await get(path)).headers['cache-control']]).toEqual([path, cacheControl]);
  }

  it('keep answers about the distant past sixty times longer', () =>
    expectHeaders(LONG, [
      `/api/v1/audio/range?${query(DAY)}`,
      `/api/v1/events/loud?${query(DAY)}`,
      `/api/v1/events/loud?${query({ to: DAY.to })}`,
      `/api/v1/stats/summary?${query({ period: '24h', to: DAY.to })}`,
      `/api/v1/stats/series?${query({ ...DAY, bucket: '1h' })}`,
      `/api/v1/audio/range?${query({ ...DAY, to: '2026-03-01T11:50:00Z' })}`,
      single('audio.range', DAY),
      batch(['audio.range', DAY], ['stats.summary', { to: DAY.to }]),
    ]));

  it('keep recent answers, and answers relative to now, for 5 seconds', () =>
    expectHeaders(SHORT, [
      '/api/v1/audio/latest',
      '/api/v1/stats/summary',
      `/api/v1/stats/summary?${query({ to: 'now-30d' })}`,
      `/api/v1/audio/range?${query({ from: 'now-90d', to: DAY.to })}`,
      `/api/v1/audio/range?${query({ ...DAY, to: '2026-03-01T11:50:01Z' })}`,
      '/api/v1/events/loud',
      `/api/v1/events/loud?${query({ from: DAY.from })}`,
      single('audio.latest', {}),
      '/trpc/audio.latest',
      batch(['audio.range', DAY], ['audio.latest', {}]),
    ]));

  it('never keep health, files, errors, or batches that contain one of these', () =>
    expectHeaders('no-store', [
      '/api/v1/health/live',
      '/api/v1/health/ready',
      `/api/v1/export/csv?${query(DAY)}`,
      '/api/v1/audio/latest?limit=0',
      '/api/v1/nope',
      single('audio.latest', { limit: 0 }),
      batch(['audio.latest', {}], ['health.live', {}]),
      batch(['audio.range', DAY], ['audio.latest', { limit: 0 }]),
    ]));

  it('get a tag with every cacheable answer, with which they can revalidate it', async () => {
    for (const path of ['/api/v1/audio/latest', `/api/v1/audio/range?${query(DAY)}`]) {
      const { etag = '' } = (await get(path)).headers;
      const again = await get(path, { 'if-none-match': etag });
      expect([path, again.status, again.headers.etag]).toEqual([path, 304, etag]);
      expect(again.headers['cache-control']).toMatch(/^public, /);
    }
  });

  it('get the names of the headers by which an answer varies', async () => {
    expect((await get('/api/v1/audio/latest')).headers.vary).toBe('accept-encoding');
    expect((await get('/trpc/audio.latest')).headers.vary).toBe('trpc-accept, accept, accept-encoding');
  });
});
