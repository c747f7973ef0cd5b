import { describe, expect, it } from 'vitest';
import { networkOf } from '../../src/http/edge/caller.ts';
import { send } from './raw.ts';
import { appOn, empty, serviceOn } from './service-on.ts';

const LATEST = '/api/v1/audio/latest';

describe('the rate limit', () => {
  it('is off by default', async () => {
    const url = await serviceOn(empty);
    const { headers } = await send(`${url}${LATEST}`);
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  });

  it('answers 429 above the limit, with the time to retry and the remaining calls', async () => {
    const url = await serviceOn(empty, { limits: { ratePerMinute: 2 } });
    const first = await send(`${url}${LATEST}`);
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1' });
    expect((await send(`${url}${LATEST}`)).status).toBe(200);
    const refused = await send(`${url}${LATEST}`);
    expect(refused.status).toBe(429);
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.parse(`${refused.body}`)).toMatchObject({
      title: 'Too Many Requests',
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      detail: 'A caller may make 2 calls a minute',
      request_id: refused.headers['x-request-id'],
    });
  });

  it('counts each call of a batch, and refuses in the envelope of tRPC', async () => {
    const url = await serviceOn(empty, { limits: { ratePerMinute: 3 } });
    const batch = (calls: number) => send(`${url}/trpc/${Array(calls).fill('audio.latest')}?batch=1`);
    expect((await batch(3)).status).toBe(200);
    const refused = await batch(1);
    expect([refused.status, JSON.parse(`${refused.body}`).error.data.code]).toEqual([
      429,
      'TOO_MANY_REQUESTS',
    ]);
    const other = await serviceOn(empty, { limits: { ratePerMinute: 3 } });
    expect((await send(`${other}/trpc/${Array(4).fill('audio.latest')}?batch=1`)).status).toBe(429);
  });

  it('does not apply to probes and the OpenAPI document', async () => {
    const url = await serviceOn(empty, { limits: { ratePerMinute: 1 } });
    for (const path of [
      '/api/v1/health/live',
      '/api/v1/health/ready',
      '/trpc/health.live',
      '/trpc/health.live,health.ready?batch=1',
      '/api/v1/openapi.json',
    ])
      for (let i = 0; i < 3; i++) expect((await send(`${url}${path}`)).status).toBe(200);
  });

  it('also counts calls that are refused for another reason', async () => {
    const url = await serviceOn(empty, { limits: { ratePerMinute: 1 } });
    expect((await send(`${url}/nothing`)).status).toBe(404);
    expect((await send(`${url}/nothing`)).status).toBe(429);
  });

  it('distinguishes callers behind a proxy only if the proxy is trusted', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const behind = await serviceOn(empty, { limits: { ratePerMinute: 1 }, trustProxy: ['127.0.0.1'] });
    expect((await send(`${behind}${LATEST}`, from('192.0.2.1'))).status).toBe(200);
    expect((await send(`${behind}${LATEST}`, from('192.0.2.2'))).status).toBe(200);
    expect((await send(`${behind}${LATEST}`, from('192.0.2.1'))).status).toBe(429);
    const open = await serviceOn(empty, { limits: { ratePerMinute: 1 } });
    expect((await send(`${open}${LATEST}`, from('192.0.2.1'))).status).toBe(200);
    expect((await send(`${open}${LATEST}`, from('192.0.2.2'))).status).toBe(429);
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
])('the caller at %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('overload', () => {
  it('of the event loop is answered with 503 until it ends', async () => {
    const url = await serviceOn(empty, { limits: { maxEventLoopDelayMs: 20, overloadLookMs: 200 } });
    const busy = setInterval(() => {
      const until = performance.now() + 100;
      while (performance.now() < until);
    }, 1);
    await expect
      .poll(async () => (await send(`${url}${LATEST}`)).status)
      .toBe(503)
      .finally(() => clearInterval(busy));
    await expect.poll(async () => (await send(`${url}${LATEST}`)).status).toBe(200);
  });
});

describe('a service that is about to end', () => {
  it('is not ready and closes connections, but still answers', async () => {
    const app = await appOn(empty);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    expect((await send(`${url}/api/v1/health/ready`)).status).toBe(200);
    app.shutdown.begin();
    const ready = await send(`${url}/api/v1/health/ready`);
    expect([ready.status, JSON.parse(`${ready.body}`).detail]).toEqual([503, 'The service is stopping']);
    const answer = await send(`${url}${LATEST}`, { connection: 'keep-alive' });
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
    expect((await send(`${url}/api/v1/health/live`)).status).toBe(200);
  });
});
