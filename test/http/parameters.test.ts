import { describe, expect, it } from 'vitest';
import { engineOfWire, openForAll } from '../engines.ts';
import { startTestService } from '../service.ts';

const service = openForAll(() => startTestService(engineOfWire()));

const INSTANT =
  'an RFC 3339 time with a zone and at most six fractional digits, such as 2026-01-01T00:00:00.123456Z or 2026-01-01T01:00:00+01:00, or now, or now-<n><s|m|h|d> such as now-1h';
const INSTANT_OR_DATE = `${INSTANT}, or a date such as 2026-10-01 together with time_zone`;
const LATEST = 'a whole number from 1 to 10000';
const PAGE = 'a whole number from 1 to 10000';
const THRESHOLD = 'a number of dB from -50 to 0';
const PERIOD = 'one of 10s, 1m, 1h, 6h, 24h, 7d, 30d';
const RANGE = '/audio/range?from=now-1h&to=now';
const JANUARY = 'from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z';
const SERIES = `/stats/series?${JANUARY}`;
const YEAR_OF_HOURS = '/stats/series?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z&bucket=1h';
const DAYS = '/stats/days?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
const HOUR = 'from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z';
const YEAR_OF_BANDS = '/stats/frequencies?from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z';
const DAY_OF_BANDS = DAYS.replace('days', 'frequencies');
const ZONE = 'an IANA time zone, such as Europe/Vienna or UTC';
const LIMITS =
  'limits by time of day without overlaps, in dB on the calibrated scale, such as 06-22=55,22:30-06=45. Each may have a penalty of 0 to 20 dB, such as 22-06=45:3';
const WORST_BUCKETS = '10s, 15s, 30s, 1m, 2m, 5m, 10m, 15m, 30m, 1h, 2h, 3h, 6h, 12h, 1d';
const takes = (names: string) => `is not a parameter of this operation, which takes ${names}`;
const SECONDS = 'a number of seconds from 0.001 to 31536000';

describe('a bad parameter is refused with its name and the allowed values', () => {
  it.each<[string, object]>([
    ...'0 10001 -1 1.5 1.0 0x10 1e2 %205%20 +5 %2B5 NaN %D9%A5 %zz 99999999999999999999'
      .split(' ')
      .map((limit): [string, object] => [`/audio/latest?limit=${limit}`, { limit: `must be ${LATEST}` }]),
    ['/audio/latest?limit', { limit: `must not be empty, but ${LATEST}` }],
    ['/audio/latest?limit=', { limit: `must not be empty, but ${LATEST}` }],
    ['/audio/latest?limit=1&limit=1', { limit: `must be given once, as ${LATEST}` }],
    [
      '/audio/latest?limit=1&limit=2&foo=',
      {
        limit: `must be given once, as ${LATEST}`,
        foo: takes('limit, levels'),
      },
    ],
    ['/audio/latest?Limit=5', { Limit: takes('limit, levels') }],
    ['/audio/latest?__proto__=5', { __proto__: '' }],
    ['/audio/latest?toString=5', { toString: takes('limit, levels') }],
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
    [`${RANGE}&cursor=`, { cursor: 'must not be empty, but the next_cursor of the previous page' }],
    [`${RANGE}&threshold=1`, { threshold: takes('from, to, limit, levels, cursor') }],
    ['/stats/summary?period=2h', { period: `must be ${PERIOD}` }],
    ['/stats/summary?period=', { period: `must not be empty, but ${PERIOD}` }],
    ['/stats/summary?period=1H', { period: `must be ${PERIOD}` }],
    [
      '/stats/summary?to=0001-01-01T00:30:00Z',
      { to: 'must be at least one period after the start of year 0001' },
    ],
    ...['1', '-50.1'].map((threshold): [string, object] => [
      `/events/loud?threshold=${threshold}`,
      { threshold: `must be ${THRESHOLD}` },
    ]),
    ...['loud', '-1e1', '-.5', '--5'].map((threshold): [string, object] => [
      `/events/loud?threshold=${threshold}`,
      { threshold: 'must be a number of dB' },
    ]),
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
    ['/stats/summary?from=now-1h&period=1h', { period: 'must not be given together with `from`' }],
    ['/stats/summary?from=yesterday', { from: `must be ${INSTANT}` }],
    ['/stats/series?to=now', { from: `is required, and must be ${INSTANT_OR_DATE}` }],
    ['/stats/series?from=2026-02-30&to=now&time_zone=UTC', { from: `must be ${INSTANT_OR_DATE}` }],
    ['/stats/days?from=2026-01-01&to=now', { time_zone: 'is required, because `from` is a date' }],
    ['/stats/limits?from=now-1d&to=2027-01-01', { time_zone: 'is required, because `to` is a date' }],
    ['/stats/days?from=2026-01-01&to=now&time_zone=Mars/Phobos', { time_zone: `must be ${ZONE}` }],
    ['/events/series?from=2026-01-01&to=now&time_zone=UTC', { from: `must be ${INSTANT}` }],
    [`${SERIES}&bucket=1h&max_points=5`, { max_points: 'must not be given together with bucket' }],
    [
      `${SERIES}&bucket=1s`,
      { bucket: 'must be 10m or longer for this interval: 2592000 buckets of 1s are more than 5000' },
    ],
    [
      `${SERIES}&bucket=7m`,
      {
        bucket:
          'must be one of 1s, 2s, 5s, 10s, 15s, 30s, 1m, 2m, 5m, 10m, 15m, 30m, 1h, 2h, 3h, 6h, 12h, 1d',
      },
    ],
    [
      `${SERIES}&max_points=29`,
      { max_points: 'must be 30 or more for this interval, even with buckets of 1d' },
    ],
    [
      `${SERIES}&max_points=30&time_zone=Asia/Tokyo`,
      { max_points: 'must be 31 or more for this interval, even with buckets of 1d' },
    ],
    [
      `${SERIES}&bucket=12h&time_zone=Asia/Tokyo`,
      { time_zone: 'must be UTC with buckets of 12h: only buckets of 1h and 1d follow a time zone' },
    ],
    [`${SERIES}&time_zone=Mars/Phobos`, { time_zone: `must be ${ZONE}` }],
    [`${SERIES}&max_points=5001`, { max_points: 'must be a whole number from 1 to 5000' }],
    [`${SERIES}&max_points=0`, { max_points: 'must be a whole number from 1 to 5000' }],
    [
      `${SERIES}&limit=3`,
      {
        limit: takes('from, to, levels, bucket, max_points, exceeded_levels, time_zone, exclusions'),
      },
    ],
    [
      '/stats/series?from=2000-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
      { from: 'must be at most 5000 days before `to`, not 9497' },
    ],
    [
      '/stats/series?from=2000-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&bucket=1d',
      { bucket: 'needs a shorter interval: 9497 buckets of 1d are more than 5000' },
    ],
    [
      '/stats/series?from=now-367d&to=now&bucket=1d&time_zone=Asia/Tokyo',
      { from: 'must be later: the interval may overlap at most 366 days of a time zone' },
    ],
    [
      `${YEAR_OF_HOURS}&time_zone=Asia/Kolkata`,
      { bucket: 'must be 1d or longer for this interval: 8761 buckets of 1h are more than 5000' },
    ],
    [`${DAYS}&time_zone=Mars/Phobos`, { time_zone: `must be ${ZONE}` }],
    [`${DAYS}&time_zone=%2B01:00`, { time_zone: `must be ${ZONE}` }],
    [`${DAYS}&time_zone=2020-01-01T00:00[UTC]`, { time_zone: `must be ${ZONE}` }],
    [`${DAYS}&time_zone=`, { time_zone: `must not be empty, but ${ZONE}` }],
    [`${DAYS}&evening_start=7`, { evening_start: 'must be later than day_start, which is 7' }],
    [`${DAYS}&night_start=19`, { night_start: 'must be later than evening_start, which is 19' }],
    [`${DAYS}&night_start=25`, { night_start: 'must be a whole number from 0 to 24' }],
    [
      '/stats/days?from=2015-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
      { from: 'must be later: the interval may overlap at most 3660 days' },
    ],
    [
      '/stats/days?from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z',
      { from: 'must lie in a day that begins in year 0001 or later' },
    ],
    [
      '/stats/days?from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z',
      { to: 'must lie in a day that ends in year 9999 or before' },
    ],
    ...['2', '0', '1e0', '-1', 'fine'].map((step): [string, object] => [
      `/stats/distribution?${HOUR}&step=${step}`,
      { step: 'must be one of 0.1, 0.5, 1, 5' },
    ]),
    [
      `${YEAR_OF_BANDS}&max_points=200`,
      { max_points: 'must be 365 or more for this interval, even with buckets of 1d' },
    ],
    [`${DAY_OF_BANDS}&max_points=2001`, { max_points: 'must be a whole number from 1 to 2000' }],
    [
      `${DAY_OF_BANDS}&bucket=1s`,
      { bucket: 'must be 1m or longer for this interval: 86400 buckets of 1s are more than 2000' },
    ],
    ...['0', '31536001', '-1', 'long'].map((min): [string, object] => [
      `/stats/quality?from=now-1h&to=now&min_gap_seconds=${min}`,
      { min_gap_seconds: `must be ${SECONDS}` },
    ]),
    [`/stats/limits?${HOUR}&limits=loud`, { limits: `must be ${LIMITS}` }],
    [`/stats/limits?${HOUR}&limits=06-22=55,21-06=45`, { limits: `must be ${LIMITS}` }],
    [`/stats/limits?${HOUR}&limits=06-22=55&time_zone=Mars/Phobos`, { time_zone: `must be ${ZONE}` }],
    [
      `/stats/limits?${HOUR}&limits=06-22=55&max_points=3`,
      { max_points: takes('from, to, levels, limits, time_zone, assess, events, exclusions') },
    ],
    [
      '/stats/limits?from=2026-01-01T00:00:00Z&to=2026-04-11T00:00:00.001Z&limits=06-22=55',
      { from: 'must be at most 100 days before `to`' },
    ],
    [
      `/stats/limits?${HOUR}`,
      { limits: expect.stringMatching(/no limits.*LIMITS.*station set NAME --limits/) },
    ],
    [`/stats/worst?${HOUR}&bucket=5s`, { bucket: `must be one of ${WORST_BUCKETS}` }],
    [
      `/stats/worst?${JANUARY}&bucket=10s`,
      { bucket: 'must be 10m or longer for this interval: 259200 buckets of 10s are more than 5000' },
    ],
    [`/stats/worst?${HOUR}&time_zone=Mars/Phobos`, { time_zone: `must be ${ZONE}` }],
    ['/stats/worst?from=2026-01-01&to=now', { time_zone: 'is required, because `from` is a date' }],
    [`/stats/worst?${HOUR}&limit=101`, { limit: 'must be a whole number from 1 to 100' }],
    [
      `/stats/worst?${HOUR}&max_points=5`,
      { max_points: takes('from, to, levels, bucket, time_zone, limit, exclusions') },
    ],
    [`/export/csv?${HOUR}&format=xlsx`, { format: 'must be one of csv, csv-semicolon, ndjson, parquet' }],
    ['/export/csv?from=now', { to: `is required, and must be ${INSTANT}` }],
    ['/service/info?limit=5', { limit: takes('none') }],
    ['/export/csv?from=now-1h&to=now&limit=5', { limit: takes('from, to, levels, format') }],
  ])('%s', async (path, expected) => {
    const { status, headers, body } = await service.get(path);
    const errors = path.includes('__proto__')
      ? [{ parameter: '__proto__', detail: takes('limit, levels') }]
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
    ['/stats/series', 'from=now&to=now-1h'],
    ['/stats/summary', 'from=now'],
    ['/audio/range', 'from=now&to=now-1s'],
    ['/events/loud', 'from=2026-01-01T00:00:00.000001Z&to=2026-01-01T00:00:00Z'],
    ['/events/list', 'from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z'],
    ['/export/csv', 'from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00%2B01:00'],
  ])('%s unless from is earlier than to', async (path, query) => {
    const { status, body } = await service.get(`${path}?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { parameter: 'from', detail: expect.stringContaining('must be earlier than `to`') },
    ]);
  });
});

describe('a good parameter is accepted', () => {
  it.each([
    '/audio/latest?limit=1',
    '/audio/latest?limit=10000',
    '/audio/latest?limit=0100',
    '/audio/latest?',
    '/audio/latest?&',
    `${RANGE}&limit=10000`,
    '/events/loud?threshold=-50&limit=10000',
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

  it.each(['days?', 'series?bucket=1d&', 'limits?limits=06-22=55&'])(
    'if it is a date: /stats/%s',
    async (path) => {
      const get = (from: string, to: string) =>
        service.get(`/stats/${path}from=${from}&to=${to}&time_zone=Europe/Vienna`);
      const { body } = await get('2026-10-01', '2026-11-01');
      expect([body.from, body.to]).toEqual(['2026-09-30T22:00:00.000000Z', '2026-10-31T23:00:00.000000Z']);
      expect((await get(body.from, body.to)).body).toEqual(body);
    },
  );

  it('is not coerced on tRPC, even after a REST request', async () => {
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

  it('may be omitted on tRPC, together with the whole input', async () => {
    expect(await (await fetch(`${service.url}/trpc/audio.latest`)).json()).toEqual({
      result: { data: { points: [] } },
    });
  });
});
