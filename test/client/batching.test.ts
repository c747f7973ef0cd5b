// How the client shares requests: simultaneous calls travel together, within the limits of the service.
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { MAX_BATCH_SIZE, MAX_URL_LENGTH } from '../../src/contract/batch-limits.ts';
import type { TestService } from '../service.ts';
import { startSmallService } from './embedded-service.ts';

describe('the client', () => {
  let service: TestService;
  let requests: URL[] = [];
  let sentHeaders: Headers[] = [];
  beforeAll(async () => {
    service = await startSmallService();
  });
  beforeEach(() => {
    requests = [];
    sentHeaders = [];
  });
  afterAll(() => service.close());

  /** A client that records its requests. */
  function noted(
    url: string | URL = service.url,
    headers: Record<string, string> = { authorization: 'Bearer of good news' },
  ) {
    return createClient(url, {
      headers,
      fetch: (input, { signal = null, headers } = {}) => {
        const request = new Request(input, { signal, headers: new Headers(headers) });
        requests.push(new URL(request.url));
        sentHeaders.push(request.headers);
        return fetch(request);
      },
    });
  }

  /** How many calls each request carried. */
  const sizes = () => requests.map(({ pathname }) => pathname.split(',').length);

  async function read(csv: AsyncIterable<string>): Promise<void> {
    for await (const text of csv) expect(text).not.toBe('');
  }

  it('sends simultaneous calls in one request, and resolves each with its own answer', async () => {
    const client = noted();
    const [latest, summary, loud, live] = await Promise.all([
      client.audio.latest.query({ limit: 1 }),
      client.stats.summary.query({ period: '24h', to: '2026-01-02T00:00:00Z' }),
      client.events.loud.query({ threshold: -2 }),
      client.health.live.query(),
    ]);
    expect(requests.map(({ pathname }) => pathname)).toEqual([
      '/trpc/audio.latest,stats.summary,events.loud,health.live',
    ]);
    expect(latest.points.map(({ time }) => time)).toEqual(['2026-01-01T00:00:02.000000Z']);
    expect(summary.point_count).toBe(3);
    expect(loud.points.map(({ rms_db }) => rms_db)).toEqual([-1.5]);
    expect(live).toEqual({ status: 'ok' });
  });

  it('sends a single call at once, as a request of its own', async () => {
    const client = noted();
    const answer = client.audio.latest.query({ limit: 1 });
    for (let n = 0; n < 50; n++) await Promise.resolve(); // no timer fires meanwhile
    expect(requests.map(({ pathname, search }) => pathname + search)).toEqual([
      `/trpc/audio.latest?input=${encodeURIComponent('{"limit":1}')}`,
    ]);
    expect((await answer).points).toHaveLength(1);
    await Promise.all([client.health.live.query(), client.health.live.query()]);
    await client.health.live.query();
    expect(sizes()).toEqual([1, 2, 1]);
  });

  it('cancels a single call before and after it is sent', async () => {
    const client = noted();
    const sent = () => once(service.app.server, 'request');
    for (const later of [async () => {}, sent]) {
      const giveUp = new AbortController();
      const call = client.health.live.query(undefined, { signal: giveUp.signal });
      const refused = expect(call).rejects.toMatchObject({ cause: { name: 'AbortError' } });
      await later();
      giveUp.abort();
      await refused;
    }
  });

  it('rejects a refused call, and still resolves the others of the request', async () => {
    const client = noted();
    const results = await Promise.allSettled([
      client.audio.latest.query({ limit: 0 }),
      client.health.live.query(),
    ]);
    expect(sizes()).toEqual([2]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('keeps its connection after a request with several calls', async () => {
    const client = noted();
    let connections = 0;
    service.app.server.on('connection', () => connections++);
    for (let n = 0; n < 30; n++) await Promise.all([client.health.live.query(), client.health.ready.query()]);
    expect(sizes()).toEqual(Array(30).fill(2));
    expect(connections).toBeLessThan(3);
  });

  it('sends cross-origin requests without a preflight', async () => {
    const client = noted(service.url, {});
    await Promise.all([client.health.live.query(), client.health.ready.query()]);
    await client.health.live.query();
    expect(sentHeaders.map((headers) => [...headers])).toEqual([[['accept', 'application/jsonl']], []]);
  });

  it('splits more calls than a request may carry', async () => {
    const client = noted();
    const limits = Array.from({ length: 2 * MAX_BATCH_SIZE + 5 }, (_, index) => (index % 3) + 1);
    const answers = await Promise.all(limits.map((limit) => client.audio.latest.query({ limit })));
    expect(sizes()).toEqual([MAX_BATCH_SIZE, MAX_BATCH_SIZE, 5]);
    expect(answers.map(({ points }) => points.length)).toEqual(limits);
  });

  it('splits requests whose address would be too long', async () => {
    const client = noted();
    const cursor = 'x'.repeat(500);
    const calls = Array.from({ length: MAX_BATCH_SIZE }, () =>
      client.audio.range.query({
        from: '2026-01-01T00:00:00+00:00',
        to: '2026-01-02T00:00:00+00:00',
        cursor,
      }),
    );
    const results = await Promise.allSettled(calls);
    expect(requests.length).toBeGreaterThan(1);
    expect(sizes().reduce((sum, size) => sum + size)).toBe(MAX_BATCH_SIZE);
    for (const { href } of requests) expect(href.length).toBeLessThanOrEqual(MAX_URL_LENGTH);
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { data: { code: 'BAD_REQUEST' } } });
  });

  it('streams exports apart from the other calls', async () => {
    const client = noted();
    const interval = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    await Promise.all([
      client.health.live.query(),
      client.export.csv.query(interval).then(read),
      client.export.csv.query(interval).then(read),
      client.health.ready.query(),
    ]);
    expect(requests.map(({ pathname }) => pathname).toSorted()).toEqual([
      '/trpc/export.csv',
      '/trpc/export.csv',
      '/trpc/health.live,health.ready',
    ]);
  });

  it('sends the given headers, and accepts an address with a trailing slash or as a URL', async () => {
    await noted(`${service.url}/`).health.live.query();
    await noted(new URL(service.url)).health.live.query();
    expect(requests.map(({ pathname }) => pathname)).toEqual(['/trpc/health.live', '/trpc/health.live']);
    expect(sentHeaders.map((headers) => headers.get('authorization'))).toEqual([
      'Bearer of good news',
      'Bearer of good news',
    ]);
  });
});
