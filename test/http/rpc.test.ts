import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedService } from '../client/embedded-service.ts';
import type { TestService } from '../service.ts';
import { ask } from './raw.ts';

const DAY = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

/** Calls and the status that each gets. */
const CALLS: [number, string, unknown?][] = [
  [200, 'audio.latest'],
  [200, 'audio.latest', { limit: 5 }],
  [200, 'audio.range', DAY],
  [200, 'stats.summary', { period: '24h', to: DAY.to }],
  [200, 'health.live'],
  [400, 'audio.latest', { limit: 0 }],
  [400, 'audio.latest', { limit: 5, more: 1 }],
  [400, 'audio.latest', 'text'],
  [400, 'audio.latest', null],
  [400, 'audio.range', {}],
  [400, 'audio.range', { ...DAY, cursor: 'unknown' }],
  [404, 'audio.unknown'],
  [404, 'audio'],
];

/** What an answer says beside its body. */
const HEADERS = ['content-type', 'cache-control', 'vary', 'retry-after'];

describe('a call through /trpc', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startEmbeddedService();
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '1 min', -10, 440 from generate_series(1, 30) n`);
  });
  afterAll(() => service?.close());
  const get = (path: string) => ask(`${service.url}/trpc/${path}`);

  it.each(CALLS)('%s: %s %j is answered alone as in a batch', async (status, path, input) => {
    const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));
    const alone = await get(input === undefined ? path : `${path}?input=${json(input)}`);
    const batch = await get(`${path}?batch=1&input=${json(input === undefined ? {} : { 0: input })}`);
    expect([alone.status, batch.status]).toEqual([status, status]);
    expect(`[${alone.body}]`).toBe(`${batch.body}`);
    for (const name of HEADERS) expect(alone.headers[name], name).toBe(batch.headers[name]);
  });

  it.each(['{', 'NaN', '%FF'])('refuses the input %s', async (input) => {
    const { status, body } = await get(`audio.latest?input=${input}`);
    const { error } = JSON.parse(body.toString());
    expect([status, error.data.code, error.message]).toEqual([
      400,
      'BAD_REQUEST',
      'The input is not valid JSON',
    ]);
  });

  it.each([
    ['{"limit":1}&input={"limit":2}', 1],
    ['', 33], // three were there
  ])('reads input=%s as tRPC does', async (input, points) => {
    const { body } = await get(`audio.latest?input=${input}`);
    expect(JSON.parse(body.toString()).result.data.points).toHaveLength(points);
  });
});
