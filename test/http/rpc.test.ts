import { beforeAll, describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { send } from './raw.ts';

const DAY = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

/** Calls, each with its expected status. */
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

const HEADERS = ['content-type', 'cache-control', 'vary', 'retry-after'];

describe('a call through /trpc', () => {
  const service = openForAll(() => startSmallService());
  beforeAll(async () => {
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '1 min', -10, 440 from generate_series(1, 30) n`);
  });
  const get = (path: string) => send(`${service.url}/trpc/${path}`);

  it.each(CALLS)('%s: %s %j gets the same answer alone and in a batch', async (status, path, input) => {
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
    expect([status, error.data.code, error.message]).toEqual([400, 'BAD_REQUEST', expect.any(String)]);
  });

  it.each([
    ['audio.range', DAY],
    ['events.loud', {}],
    ['events.list', {}],
    ['events.top', DAY],
  ])('ignores the `direction` of infinite queries in %s, which REST refuses', async (path, input) => {
    const sent = { ...input, limit: 1, direction: 'forward' };
    expect((await get(`${path}?input=${encodeURIComponent(JSON.stringify(sent))}`)).status).toBe(200);
    const query = new URLSearchParams({ ...input, direction: 'forward' });
    const rest = await send(`${service.url}/api/v1/${path.replace('.', '/')}?${query}`);
    expect([rest.status, JSON.parse(`${rest.body}`).errors]).toEqual([
      400,
      [expect.objectContaining({ parameter: 'direction' })],
    ]);
  });

  it.each(['5', 'null', '[{}]', '{"0":5}'])('refuses the input %s of a batch', async (input) => {
    const { body } = await get(`audio.range?batch=1&input=${input}`);
    expect(JSON.parse(`${body}`)[0].error.data.code).toBe('BAD_REQUEST');
  });

  it.each(['', '&input={}', '&input={'])(
    'names the limit in the refusal of a larger batch: %s',
    async (input) => {
      const { status, body } = await get(`${Array(21).fill('health.live').join()}?batch=1${input}`);
      const { error } = JSON.parse(`${body}`);
      expect([status, error.message]).toEqual([400, 'A batch may hold at most 20 calls, not 21']);
    },
  );

  it.each([
    ['a batch whose input is not JSON', 'health.live,health.live?batch=1&input={', undefined, 400],
    ['a stream of one call alone', 'health.live', 'application/jsonl', 400],
    ['an export that is not streamed', 'export.csv?input={"from":"now-1h","to":"now"}', undefined, 415],
  ])('refuses %s in JSON', async (_, path, accept, expected) => {
    const { status, headers, body } = await send(
      `${service.url}/trpc/${path}`,
      accept === undefined ? {} : { 'trpc-accept': accept },
    );
    expect([status, headers['cache-control']]).toEqual([expected, 'no-store']);
    const [{ error }] = [JSON.parse(`${body}`)].flat();
    expect(error.message).toMatch(expected === 415 ? /httpBatchStreamLink/ : /./);
  });

  it('answers a partly failed batch with 207, and with a status for each call', async () => {
    const { status, headers, body } = await get('health.live,audio.unknown,audio.latest?batch=1&input={}');
    expect([status, headers['cache-control']]).toEqual([207, 'no-store']);
    const answers = JSON.parse(body.toString());
    expect(answers.map((one: object) => Object.keys(one)[0])).toEqual(['result', 'error', 'result']);
    expect(answers[1].error).toMatchObject({
      message: 'No procedure found on path "audio.unknown"',
      code: -32004,
      data: { code: 'NOT_FOUND', httpStatus: 404, path: 'audio.unknown' },
    });
  });

  it('answers HEAD as tRPC does, with 204', async () => {
    const { status } = await fetch(`${service.url}/trpc/audio.latest`, { method: 'HEAD' });
    expect(status).toBe(204);
  });

  it.each([
    ['{"limit":1}&input={"limit":2}', 1],
    ['', 33], // as many as with limit 100
  ])('reads input=%s as tRPC does', async (input, points) => {
    const { body } = await get(`audio.latest?input=${input}`);
    expect(JSON.parse(body.toString()).result.data.points).toHaveLength(points);
  });
});
