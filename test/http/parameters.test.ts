import { describe, expect, it } from 'vitest';
import { engineOfWire, openForAll } from '../engines.ts';
import { startTestService } from '../service.ts';

const service = openForAll(() => startTestService(engineOfWire()));

const RANGE = '/audio/range?from=now-1h&to=now';
const JANUARY = 'from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z';
const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
const YEARS = 'from=2000-01-01T00:00:00Z&to=2026-01-01T00:00:00Z';
const INSTANT = 'RFC 3339';
const ZONE = 'IANA';
const PAGE = '1 to 10000';
const ANY_LEVEL = /^must be a number of dB$/;
const UNKNOWN = 'is not a parameter of this operation';

type Refused = [path: string, facts: Record<string, string | RegExp>];

/** Requests, and a fact in the refusal of each bad parameter: mostly what is allowed. */
const REFUSED: Refused[] = [
  ...'0 10001 -1 1.5 1.0 0x10 1e2 %205%20 +5 %2B5 NaN %D9%A5 %zz 99999999999999999999'
    .split(' ')
    .map((limit): Refused => [`/audio/latest?limit=${limit}`, { limit: PAGE }]),
  ['/audio/latest?limit', { limit: `must not be empty, but a whole number from ${PAGE}` }],
  ['/audio/latest?limit=', { limit: `must not be empty, but a whole number from ${PAGE}` }],
  ['/audio/latest?limit=1&limit=1', { limit: `must be given once, as a whole number from ${PAGE}` }],
  ['/audio/latest?limit=1&limit=2&foo=', { limit: 'must be given once', foo: UNKNOWN }],
  ['/audio/latest?Limit=5', { Limit: 'which takes limit, levels' }],
  ['/audio/latest?__proto__=5', { ['__proto__']: UNKNOWN }],
  ['/audio/latest?toString=5', { toString: UNKNOWN }],
  ['/audio/range', { from: 'is required', to: 'is required' }],
  ['/audio/range?from=now-1h', { to: 'is required' }],
  ['/audio/range?from=&to=now', { from: 'must not be empty' }],
  ['/audio/range?from=2026-13-01&to=now', { from: INSTANT }],
  ['/audio/range?from=2026-01-01&to=now', { time_zone: 'is required, because `from` is a date' }],
  [`${RANGE}&time_zone=Mars/Phobos`, { time_zone: ZONE }],
  ['/audio/range?from=2026-01-01T00:00:00.1234567Z&to=now', { from: INSTANT }],
  ['/audio/range?from=now-999999d&to=now', { from: INSTANT }],
  [`${RANGE}&limit=100001`, { limit: PAGE }],
  [`${RANGE}&cursor=`, { cursor: 'must not be empty' }],
  [`${RANGE}&threshold=1`, { threshold: UNKNOWN }],
  ['/stats/summary?period=2h', { period: '10s, 1m, 1h, 6h, 24h, 7d, 30d' }],
  ['/stats/summary?period=', { period: 'must not be empty' }],
  ['/stats/summary?period=1H', { period: '10s, 1m, 1h' }],
  ['/stats/summary?to=0001-01-01T00:30:00Z', { to: '0001' }],
  ['/stats/summary?from=now-1h&period=1h', { period: 'together with `from`' }],
  ['/stats/summary?from=yesterday', { from: INSTANT }],
  ...['1', '-50.1'].map((level): Refused => [`/events/loud?threshold=${level}`, { threshold: '-50 to 0' }]),
  ...['loud', '-1e1', '-.5', '--5'].map(
    (level): Refused => [`/events/loud?threshold=${level}`, { threshold: ANY_LEVEL }],
  ),
  ['/events/list?threshold=1', { threshold: '-50 to 0' }],
  ['/events/list?above_background=2.9', { above_background: '3 to 60' }],
  ['/events/list?above_background=10&threshold=-10', { above_background: 'together with threshold' }],
  ['/events/list?hysteresis=-1', { hysteresis: '0 to 20' }],
  ['/events/list?hold_seconds=3600.1', { hold_seconds: '0 to 3600' }],
  ['/events/list?hold_seconds=', { hold_seconds: 'must not be empty' }],
  ['/events/list?min_duration_seconds=86401', { min_duration_seconds: '0 to 86400' }],
  ['/events/list?limit=1001', { limit: '1 to 1000' }],
  ['/stats/series?to=now', { from: 'together with time_zone' }],
  ['/stats/series?from=2026-02-30&to=now&time_zone=UTC', { from: INSTANT }],
  [`/stats/series?${JANUARY}&bucket=1h&max_points=5`, { max_points: 'together with bucket' }],
  [`/stats/series?${JANUARY}&bucket=1s`, { bucket: /5m or longer.*2592000 .*9000/ }],
  [`/stats/series?${JANUARY}&bucket=7m`, { bucket: '5m, 10m, 15m' }],
  [`/stats/series?${YEARS}&max_points=25`, { max_points: '26 or more' }],
  [`/stats/series?${YEARS}&max_points=26&time_zone=Asia/Tokyo`, { max_points: '27 or more' }],
  [
    `/stats/series?${JANUARY}&bucket=12h&time_zone=Asia/Tokyo`,
    { time_zone: 'must be UTC with buckets of 12h' },
  ],
  [`/stats/series?${JANUARY}&time_zone=Mars/Phobos`, { time_zone: ZONE }],
  [`/stats/series?${JANUARY}&max_points=9001`, { max_points: '1 to 9000' }],
  [`/stats/series?${JANUARY}&max_points=0`, { max_points: '1 to 9000' }],
  [`/stats/series?${JANUARY}&limit=3`, { limit: UNKNOWN }],
  ['/stats/series?from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z', { from: '9000 years' }],
  [`/stats/series?${YEARS}&bucket=1d`, { bucket: /1w or longer.*9497 .*9000/ }],
  [
    '/stats/series?from=now-367d&to=now&bucket=1d&time_zone=Asia/Tokyo',
    { from: /longer.*366 buckets of 1d/ },
  ],
  [`/stats/series?${YEARS}&bucket=1h&time_zone=Asia/Kolkata`, { bucket: /1w or longer.*9000/ }],
  ['/stats/days?from=2026-01-01&to=now', { time_zone: 'is required, because `from` is a date' }],
  ['/stats/days?from=2026-01-01&to=now&time_zone=Mars/Phobos', { time_zone: ZONE }],
  [`/stats/days?${DAY}&time_zone=Mars/Phobos`, { time_zone: ZONE }],
  [`/stats/days?${DAY}&time_zone=%2B01:00`, { time_zone: ZONE }],
  [`/stats/days?${DAY}&time_zone=2020-01-01T00:00[UTC]`, { time_zone: ZONE }],
  [`/stats/days?${DAY}&time_zone=`, { time_zone: 'must not be empty' }],
  [`/stats/days?${DAY}&evening_start=7`, { evening_start: 'later than day_start, which is 7' }],
  [`/stats/days?${DAY}&night_start=19`, { night_start: 'later than evening_start, which is 19' }],
  [`/stats/days?${DAY}&night_start=25`, { night_start: '0 to 24' }],
  [`/stats/days?${DAY}&day_start=0&night_start=24`, { night_start: 'next day, which is 0' }],
  [`/stats/days?${DAY}&evening=off&day_start=22&night_start=22`, { night_start: 'day_start, which is 22' }],
  [`/stats/days?${DAY}&evening=maybe`, { evening: 'on, off' }],
  [`/stats/days?${DAY}&night_penalty_db=21`, { night_penalty_db: '0 to 20' }],
  [`/stats/days?${DAY}&event_threshold_db=70`, { event_threshold_db: '-50 to 0' }],
  [`/stats/days?${YEARS}`, { from: '3660 days' }],
  ['/stats/days?from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z', { from: '0001' }],
  ['/stats/days?from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z', { to: '9999' }],
  ...['2', '0', '1e0', '-1', 'fine'].map(
    (step): Refused => [`/stats/distribution?${DAY}&step=${step}`, { step: '0.1, 0.5, 1, 5' }],
  ),
  [`/stats/frequencies?${YEARS}&max_points=2`, { max_points: /26 or more.*1y/ }],
  [`/stats/frequencies?${DAY}&max_points=2001`, { max_points: '1 to 2000' }],
  [`/stats/frequencies?${DAY}&bucket=1s`, { bucket: /1m or longer.*86400 .*2000/ }],
  ...['0', '31536001', '-1', 'long'].map(
    (min): Refused => [
      `/stats/quality?${DAY}&min_gap_seconds=${min}`,
      { min_gap_seconds: '0.001 to 31536000' },
    ],
  ),
  ['/stats/limits?from=now-1d&to=2027-01-01', { time_zone: 'is required, because `to` is a date' }],
  [`/stats/limits?${DAY}`, { limits: /no limits.*LIMITS.*station set NAME --limits/ }],
  ...['loud', '06-22=55,21-06=45', '22-06=45:21', '22-06=45:'].map(
    (limits): Refused => [
      `/stats/limits?${DAY}&limits=${limits}`,
      { limits: /without overlaps.*22-06=40:3/ },
    ],
  ),
  [`/stats/limits?${DAY}&limits=06-22=55&time_zone=Mars/Phobos`, { time_zone: ZONE }],
  [`/stats/limits?${DAY}&limits=06-22=55&max_points=3`, { max_points: UNKNOWN }],
  [`/stats/limits?${YEARS}&limits=06-22=55`, { from: '3660 days' }],
  ['/stats/limits?from=now-367d&to=now&limits=06-22=55,22-06=45:15m', { from: /366 days.*quarters/ }],
  [`/stats/limits?${DAY}&limits=06-22=55&parts=some`, { parts: 'include, omit' }],
  [`/stats/why?${DAY}&limits=06-22=55,21-06=45`, { limits: /without overlaps/ }],
  [`/stats/why?${DAY}&time_zone=Mars/Phobos`, { time_zone: ZONE }],
  [`/stats/why?${DAY}&bucket=1h`, { bucket: UNKNOWN }],
  ['/stats/why?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z', { from: '31 days' }],
  [`/export/csv?${DAY}&format=xlsx`, { format: 'csv, csv-semicolon, ndjson, parquet' }],
  ['/export/csv?from=now', { to: 'is required' }],
  ['/export/csv?from=now-1h&to=now&limit=5', { limit: UNKNOWN }],
  ['/service/info?limit=5', { limit: 'which takes none' }],
];

describe('a bad parameter is refused with its name and the allowed values', () => {
  it.each(REFUSED)('%s', async (path, facts) => {
    const { status, headers, body } = await service.get(path);
    const errors = Object.entries(facts).map(([parameter, fact]) => ({
      parameter,
      detail: typeof fact === 'string' ? expect.stringContaining(fact) : expect.stringMatching(fact),
    }));
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(body).toEqual({
      type: '/docs/errors#bad-request',
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
    '/stats/limits?from=now-1d&to=now&limits=22-06=45:2.5,06-22=55:0',
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
        message: `Invalid parameters: limit must be a whole number from ${PAGE}`,
        data: {
          code: 'BAD_REQUEST',
          httpStatus: 400,
          path: 'audio.latest',
          errors: [{ parameter: 'limit', detail: `must be a whole number from ${PAGE}` }],
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
