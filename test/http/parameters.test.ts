import { describe, expect, it } from 'vitest';
import { engineOfWire, openForAll } from '../engines.ts';
import { startTestService } from '../service.ts';

const service = openForAll(() => startTestService(engineOfWire()));

const INSTANT =
  'an RFC 3339 time with a zone and at most six fractional digits, such as 2026-01-01T00:00:00.123456Z or 2026-01-01T01:00:00+01:00, or now, or now-<n><s|m|h|d> such as now-1h';
const LATEST = 'a whole number from 1 to 10000';
const PAGE = 'a whole number from 1 to 100000';
const THRESHOLD = 'a number of dB from -50 to 0';
const PERIOD = 'one of 10s, 1m, 1h, 6h, 24h, 7d, 30d';
const RANGE = '/audio/range?from=now-1h&to=now';

describe('a bad parameter is refused with its name and what is allowed', () => {
  it.each([
    ['/audio/latest?limit=0', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=10001', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=-1', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=1.5', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=1.0', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=0x10', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=1e2', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=%205%20', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=+5', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=%2B5', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=NaN', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=%D9%A5', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=%zz', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit=99999999999999999999', { limit: `must be ${LATEST}` }],
    ['/audio/latest?limit', { limit: `must not be empty, but ${LATEST}` }],
    ['/audio/latest?limit=', { limit: `must not be empty, but ${LATEST}` }],
    ['/audio/latest?limit=1&limit=1', { limit: `must be given once, as ${LATEST}` }],
    [
      '/audio/latest?limit=1&limit=2&foo=',
      {
        limit: `must be given once, as ${LATEST}`,
        foo: 'is not a parameter of this operation, which takes limit',
      },
    ],
    ['/audio/latest?Limit=5', { Limit: 'is not a parameter of this operation, which takes limit' }],
    ['/audio/latest?__proto__=5', { __proto__: '' }],
    ['/audio/latest?toString=5', { toString: 'is not a parameter of this operation, which takes limit' }],
    [
      '/audio/range',
      { from: `is required, and must be ${INSTANT}`, to: `is required, and must be ${INSTANT}` },
    ],
    ['/audio/range?from=now-1h', { to: `is required, and must be ${INSTANT}` }],
    ['/audio/range?from=&to=now', { from: `must not be empty, but ${INSTANT}` }],
    ['/audio/range?from=2026-01-01&to=now', { from: `must be ${INSTANT}` }],
    ['/audio/range?from=2026-01-01T00:00:00.1234567Z&to=now', { from: `must be ${INSTANT}` }],
    ['/audio/range?from=now-999999d&to=now', { from: `must be ${INSTANT}` }],
    [`${RANGE}&limit=100001`, { limit: `must be ${PAGE}` }],
    [`${RANGE}&cursor=`, { cursor: 'must not be empty, but the next_cursor of the page before' }],
    [
      `${RANGE}&threshold=1`,
      { threshold: 'is not a parameter of this operation, which takes from, to, limit, cursor' },
    ],
    ['/stats/summary?period=2h', { period: `must be ${PERIOD}` }],
    ['/stats/summary?period=', { period: `must not be empty, but ${PERIOD}` }],
    ['/stats/summary?period=1H', { period: `must be ${PERIOD}` }],
    [
      '/stats/summary?to=0001-01-01T00:30:00Z',
      { to: 'must leave room for the period after the start of year 0001' },
    ],
    ['/events/loud?threshold=1', { threshold: `must be ${THRESHOLD}` }],
    ['/events/loud?threshold=-50.1', { threshold: `must be ${THRESHOLD}` }],
    ['/events/loud?threshold=-1e1', { threshold: `must be ${THRESHOLD}` }],
    ['/events/loud?threshold=-.5', { threshold: `must be ${THRESHOLD}` }],
    ['/events/loud?threshold=--5', { threshold: `must be ${THRESHOLD}` }],
    ['/events/list?threshold=1', { threshold: `must be ${THRESHOLD}` }],
    ['/events/list?above_background=2.9', { above_background: 'must be a number of dB from 3 to 60' }],
    [
      '/events/list?above_background=10&threshold=-10',
      { above_background: 'must not be given together with threshold' },
    ],
    ['/events/list?hysteresis=-1', { hysteresis: 'must be a number of dB from 0 to 20' }],
    ['/events/list?hold_seconds=3600.1', { hold_seconds: 'must be a number of seconds from 0 to 3600' }],
    [
      '/events/list?hold_seconds=',
      { hold_seconds: 'must not be empty, but a number of seconds from 0 to 3600' },
    ],
    [
      '/events/list?min_duration_seconds=86401',
      { min_duration_seconds: 'must be a number of seconds from 0 to 86400' },
    ],
    ['/events/list?limit=1001', { limit: 'must be a whole number from 1 to 1000' }],
    ['/export/csv?from=now', { to: `is required, and must be ${INSTANT}` }],
    ['/service/info?limit=5', { limit: 'is not a parameter of this operation, which takes none' }],
    [
      '/export/csv?from=now-1h&to=now&limit=5',
      { limit: 'is not a parameter of this operation, which takes from, to, format' },
    ],
  ])('%s', async (path, expected) => {
    const { status, headers, body } = await service.get(path);
    const errors = path.includes('__proto__')
      ? [{ parameter: '__proto__', detail: 'is not a parameter of this operation, which takes limit' }]
      : Object.entries(expected).map(([parameter, detail]) => ({ parameter, detail }));
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'Invalid parameters',
      code: 'BAD_REQUEST',
      errors,
      request_id: headers.get('x-request-id'),
    });
  });

  it.each([
    ['/audio/range', 'from=now&to=now'],
    ['/audio/range', 'from=now&to=now-1s'],
    ['/events/loud', 'from=2026-01-01T00:00:00.000001Z&to=2026-01-01T00:00:00Z'],
    ['/events/list', 'from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z'],
    ['/export/csv', 'from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00%2B01:00'],
  ])('%s with from not earlier than to', async (path, query) => {
    const { status, body } = await service.get(`${path}?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { parameter: 'from', detail: expect.stringContaining('must be earlier than to') },
    ]);
  });
});

describe('a good parameter is taken', () => {
  it.each([
    '/audio/latest?limit=1',
    '/audio/latest?limit=10000',
    '/audio/latest?limit=0100',
    '/audio/latest?',
    '/audio/latest?&',
    `${RANGE}&limit=100000`,
    '/events/loud?threshold=-50&limit=100000',
    '/events/loud?threshold=0',
    '/events/loud?threshold=-0.0',
    '/events/loud?threshold=-10.25',
    '/events/list?threshold=-50&hysteresis=20&hold_seconds=3600&min_duration_seconds=86400&limit=1000',
    '/events/list?above_background=60&hold_seconds=0',
    '/stats/summary?period=30d&to=now-1d',
    '/health/live?x=1&x=2&y',
    '/health/ready?limit=',
  ])('%s', async (path) => {
    expect((await service.get(path)).status).toBe(200);
  });

  it('is not coerced on tRPC, whatever REST was asked before', async () => {
    await service.get('/audio/latest?limit=5');
    const response = await fetch(
      `${service.url}/trpc/audio.latest?input=${encodeURIComponent('{"limit":"5"}')}`,
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        code: -32600,
        message: `Invalid parameters: limit must be ${LATEST}`,
        data: {
          code: 'BAD_REQUEST',
          httpStatus: 400,
          path: 'audio.latest',
          errors: [{ parameter: 'limit', detail: `must be ${LATEST}` }],
        },
      },
    });
  });

  it('may be left out altogether on tRPC', async () => {
    expect(await (await fetch(`${service.url}/trpc/audio.latest`)).json()).toEqual({
      result: { data: { points: [] } },
    });
  });
});
