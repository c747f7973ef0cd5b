// The typed client and REST agree on every operation: same bodies, same errors, as the OpenAPI document describes.

import { beforeAll, expect, it } from 'vitest';
import { createClient, isServiceError } from '../../src/client/index.ts';
import type { ParameterError } from '../../src/errors.ts';
import { routes } from '../../src/operations/internals/routes.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { limitOf } from '../limits.ts';
import { type Document, fetchDocument, undescribed } from '../openapi/document.ts';
import { genericRequests } from '../operations/generic-requests.ts';
import { insertPoints, startTestService } from '../service.ts';

const DAY = { from: '2026-02-01T00:00:00Z', to: '2026-02-02T00:00:00Z' };
const LIMITS = [limitOf('00:00', '24:00', 55)];
type Input = Readonly<Record<string, string | number>>;

/** Of each operation but export.csv, because its typed client gets text. */
const GENERIC = genericRequests(DAY).flatMap(({ name, input }): [string, Input][] =>
  name === 'export.csv' ? [] : [[name, input]],
);

describeOnWire('the typed client', (engine) => {
  // a rate limit, so that answers have all headers of the document
  const service = openForAll(() =>
    startTestService(engine, { limits: { ratePerMinute: 10_000 }, site: { limits: LIMITS } }),
  );
  let document: Document;
  beforeAll(async () => {
    document = await fetchDocument(service.url);
    await service.sql(
      insertPoints([
        ['2026-03-01T11:59:59.123456Z', -12.34, 440],
        ['2026-03-01T11:59:59.123456Z', -12.34, 440],
        ['2026-03-01T11:59:58Z', null, null, true],
        ['2026-03-01T12:00:10Z', -0.5, 8000],
      ]),
    );
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz, is_silence)
      select '2026-02-01Z'::timestamptz + n * interval '20 ms', -(n % 500) / 10.0, 100 + n % 7900, n % 7 = 0
      from generate_series(0, 19999) n`);
  });

  /** Sends a request by both transports. */
  async function request(operation: string, input: Input) {
    const [group = '', name = ''] = operation.split('.');
    const query = new URLSearchParams(
      Object.entries(input).map(([key, value]): [string, string] => [key, `${value}`]),
    );
    const path = routes.get(operation)?.path ?? '';
    const rest = await service.get(`${path}?${query}`);
    expect(undescribed(document, path, rest)).toEqual([]);
    const procedures = service.client as unknown as Record<
      string,
      Record<string, { query(input: Input): Promise<unknown> }>
    >;
    const typed = await procedures[group]?.[name]?.query(input).catch((error: unknown) => error);
    return { rest, typed };
  }

  it.each<[string, Input]>([
    ...GENERIC,
    ['audio.latest', { limit: 1 }],
    ['audio.range', { ...DAY, limit: 7 }],
    ['audio.range', { from: 'now-1m', to: 'now' }],
    ['audio.range', { from: '2026-03-01T13:59:59.123456+02:00', to: '2026-03-01T12:00:00.5Z' }],
    ['audio.range', { from: '2020-01-01T00:00:00Z', to: '2020-01-01T00:00:01Z' }],
    ['stats.summary', { period: '10s' }],
    ['stats.summary', { period: '24h', to: DAY.to }],
    ['stats.summary', { period: '1m', to: '2020-01-01T00:00:00Z' }],
    ['stats.summary', DAY],
    ['stats.days', { ...DAY, time_zone: 'America/Lima' }],
    ['stats.distribution', { ...DAY, step: 0.5 }],
    ['stats.frequencies', { ...DAY, bucket: '6h' }],
    ['stats.limits', { ...DAY, limits: '06-22=55,22-06=45', time_zone: 'Asia/Kathmandu', events: 'true' }],
    ['stats.quality', { ...DAY, min_gap_seconds: 0.5 }],
    ['stats.why', { ...DAY, time_zone: 'Asia/Kathmandu' }],
    ['stats.series', { ...DAY, bucket: '1d' }],
    ['stats.series', { ...DAY, bucket: '1d', time_zone: 'Asia/Kathmandu' }],
    ['stats.series', { ...DAY, bucket: '1h', time_zone: 'Asia/Kathmandu' }],
    ['stats.series', { from: 'now-1h', to: 'now', max_points: 10 }],
    ['events.loud', { threshold: -0.25 }],
    ['events.loud', { threshold: 0 }],
    ['events.loud', { from: 'now-7d', limit: 3 }],
    ['events.loud', { to: DAY.to, threshold: -49.9, limit: 10_000 }],
    ['events.list', { threshold: -0.25, hysteresis: 1.5, to: 'now' }],
    ['events.list', { ...DAY, threshold: -1, hold_seconds: 0.5, limit: 3 }],
    ['events.list', { to: DAY.to, above_background: 3, min_duration_seconds: 0.1 }],
    ['events.series', { ...DAY, threshold: -1, bucket: '1h' }],
    ['events.series', { ...DAY, above_background: 3, bucket: '1d', time_zone: 'Asia/Kathmandu' }],
    ['events.top', { ...DAY, threshold: -1, by: 'duration', limit: 3 }],
    ['health.live', {}],
    ['health.ready', {}],
  ])('%s with %j returns the same body as REST, which the document describes', async (operation, input) => {
    const { rest, typed } = await request(operation, input);
    expect(rest.status).toBe(200);
    expect(typed).toStrictEqual(rest.body);
  });

  it.each<[string, Input]>([
    ['audio.latest', { limit: 10_001, order: 'asc' }],
    ['audio.range', { from: DAY.to, to: DAY.from }],
    ['audio.range', { ...DAY, cursor: 'made-up' }],
    ['stats.summary', { period: '1h', from: 'now-1h' }],
    ['stats.days', { ...DAY, time_zone: 'Nowhere', night_start: 25 }],
    ['stats.series', { ...DAY, bucket: '12h', time_zone: 'Asia/Kathmandu' }],
    ['stats.distribution', { ...DAY, step: 2 }],
    ['stats.why', { ...DAY, time_zone: 'Nowhere/At_All' }],
    ['stats.limits', { ...DAY, limits: '06-22=55,21-06=45' }],
    ['stats.quality', { ...DAY, min_gap_seconds: 0 }],
    ['events.loud', { from: 'now', to: 'now' }],
    ['service.info', { limit: 1 }],
    ['events.list', { threshold: -10, above_background: 10 }],
    ['events.series', { ...DAY, bucket: '1h', max_points: 3 }],
    ['events.top', { ...DAY, by: 'loudness', limit: 101 }],
    ['export.csv', { from: DAY.to, to: DAY.from }],
  ])('%s with %j is refused with the same code, errors and message as by REST', async (operation, input) => {
    const { rest, typed } = await request(operation, input);
    if (!isServiceError(typed)) throw new Error(`${operation} was not refused`);
    expect(rest.status).toBe(400);
    expect({
      status: typed.data?.httpStatus,
      code: typed.data?.code,
      errors: typed.data?.errors,
      message: typed.message,
    }).toStrictEqual({
      status: rest.body.status,
      code: rest.body.code,
      errors: rest.body.errors,
      message: [
        rest.body.detail,
        rest.body.errors.map((each: ParameterError) => `${each.parameter} ${each.detail}`).join('; '),
      ].join(': '),
    });
  });

  it('reaches the same pages with next_cursor as REST with Link headers, and every point', async () => {
    const pages = [];
    let cursor: string | undefined;
    do {
      const page = await service.client.audio.range.query({ ...DAY, limit: 6000, ...(cursor && { cursor }) });
      pages.push(page);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    let path: string | undefined = `/audio/range?from=${DAY.from}&to=${DAY.to}&limit=6000`;
    const restPages = [];
    while (path) {
      const { body, headers } = await service.get(path);
      restPages.push(body);
      const [, next] = /^<(range\?.*)>; rel="next", /.exec(headers.get('link') ?? '') ?? [];
      path = next && `/audio/${next}`;
    }
    expect(pages).toStrictEqual(restPages);
    expect(pages.flatMap(({ points }) => points)).toHaveLength(20_000);
  });

  it.each(['', '/', '/trpc', '/trpc/', '/api/v1', '/api/v1//'])(
    'finds the service at an address that ends in "%s"',
    async (end) => {
      expect(await createClient(`${service.url}${end}`).health.live.query()).toEqual({ status: 'ok' });
    },
  );

  it('throws an error without a code if the service cannot be reached', async () => {
    const error = await createClient('http://127.0.0.1:1')
      .health.live.query()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(isServiceError(error) ? error.data?.code : undefined).toBe(undefined);
  });
});
