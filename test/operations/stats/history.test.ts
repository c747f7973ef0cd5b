// Statistics of minutes whose points were removed, over HTTP.
import { beforeAll, expect, it } from 'vitest';
import { CSV_TYPE, FORMATS } from '../../../src/contract/media-types.ts';
import { removeOldPoints } from '../../../src/rollups/raw-retention.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { describeEachEngine, openForAll } from '../../engines.ts';
import { limitOf } from '../../limits.ts';
import { startTestService } from '../../service.ts';

const DAYS = 'from=2026-01-10T00:00:00Z&to=2026-01-20T00:00:00Z';
const LEVELS = { l10_db: null, l50_db: null, l90_db: null, dominant_frequency_hz: null };

describeEachEngine('Statistics of history', (engine) => {
  const limits = [limitOf('06:00', '22:00', 60), limitOf('22:00', '06:00', 50)];
  const service = openForAll(() =>
    startTestService(engine, { site: { limits, calibrationOffsetDb: 90, timeZone: 'UTC' } }),
  );
  const get = async (path: string) => {
    const { status, body } = await service.get(path);
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  const OPERATIONS = [
    `/stats/summary?${DAYS}`,
    `/stats/series?${DAYS}&bucket=1h&exceeded_levels=include`,
    `/stats/series?${DAYS}&bucket=1d&time_zone=Europe/Vienna`,
    `/stats/days?${DAYS}&time_zone=Europe/Vienna`,
    `/stats/limits?${DAYS}`,
    `/stats/quality?${DAYS}&min_gap_seconds=120`,
    `/stats/frequencies?${DAYS}&bucket=1d`,
    `/stats/distribution?${DAYS}`,
    `/stats/why?${DAYS.replace('-10T', '-18T')}`,
  ];
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several operations
  const before: any[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several operations
  const after: any[] = [];
  beforeAll(async () => {
    await service.sql(`insert into audio_data
      select '2026-01-11Z'::timestamptz + n * interval '12 s', case when n % 17 > 0 then greatest(-50, -n * 7 % 530 / 10.0) end, 100 + n % 40, n % 7 = 0
      from generate_series(0, 9 * 7200 - 1) n where n % 7200 not between 3000 and 3600`);
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db, interval_ms, counts_overload)
      values ('2026-01-01Z', 'A', 90, 12000, true), ('2026-02-01Z', 'A', 95, 12000, true)`);
    await service.sql(`insert into audio_data_overload values ('2026-01-12T11:00:00Z', 2)`);
    await refreshRollups(service.sql, 100_000);
    for (const path of OPERATIONS) before.push(await get(path));
    await service.sql(
      `update audio_data_refreshes set raw_retention = (now() - '2026-01-19T12:00:00Z')::text, removed_until = '2026-01-19Z'`,
    );
    await removeOldPoints(service.sql, 0);
    await refreshRollups(service.sql, 100_000);
    for (const path of OPERATIONS) after.push(await get(path));
  });
  const near = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(near);
    if (typeof value === 'number' && !Number.isInteger(value)) return expect.closeTo(value, 9);
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, near(part)]));
    return value;
  };
  const MARKS = { history_until: '2026-01-19T00:00:00.000000Z', levels_unavailable: true };

  it('equals that of the points, and what is unknown is null', () => {
    const [summary, hours, days, parts, limits, quality, bands, distribution, why] = before;
    const { l1_db, l5_db, l95_db, l99_db, ...known } = summary;
    expect(l1_db + l5_db + l95_db + l99_db).toBeLessThan(0);
    const others = { l1_db: null, l5_db: null, l95_db: null, l99_db: null };
    expect(after[0]).toEqual({ ...(near(known) as object), ...LEVELS, ...others, ...MARKS });
    const unknown = (buckets: { time: string }[], until: string) =>
      buckets.map((bucket) =>
        bucket.time < until ? { ...(near(bucket) as object), ...LEVELS } : near(bucket),
      );
    expect(after[1]).toEqual({ ...hours, buckets: unknown(hours.buckets, '2026-01-19'), ...MARKS });
    expect(after[2]).toEqual({ ...days, buckets: unknown(days.buckets, '2026-01-19'), ...MARKS });
    expect(after[3]).toEqual({ ...(near(parts) as object), ...MARKS });
    // gaps end at whole minutes
    const measured = (body: typeof limits) =>
      JSON.parse(JSON.stringify(body), (name, value) =>
        name === 'measured_percent' || name === 'used_percent' ? undefined : value,
      );
    expect(measured(after[4])).toEqual({ ...(near(measured(limits)) as object), ...MARKS });
    for (const [at, part] of after[4].parts.entries())
      expect(part.measured_percent).toBeCloseTo(limits.parts[at].measured_percent, 0);
    expect(after[5]).toMatchObject({
      ...MARKS,
      point_count: quality.point_count,
      gap_count: quality.gap_count,
    });
    expect(after[6].buckets.map(({ point_count }: { point_count: number }) => point_count)).toEqual(
      bands.buckets.map(({ point_count }: { point_count: number }) => point_count),
    );
    expect(after[6].buckets.map(({ counts }: { counts: number[] }) => counts.length)).toEqual([
      20, 0, 0, 0, 0, 0, 0, 0, 0, 20,
    ]);
    expect(after[7]).toEqual({ ...distribution, levels: [], ...MARKS });
    const removed = why.parts.map((part: { from: string }) => part.from < '2026-01-19');
    expect(
      after[8].parts.map(
        ({ episodes_reason: reason }: { episodes_reason: string | null }) => reason === 'points_removed',
      ),
    ).toEqual(removed);
  });

  it('leaves answers without it as they were', async () => {
    const { body } = await service.get('/stats/summary?from=2026-01-19T00:00:00Z&to=2026-01-20T00:00:00Z');
    expect(body.l50_db).toBeLessThan(0);
    expect(Object.keys(body)).not.toContain('history_until');
  });

  it('counts no events in it', async () => {
    const days = (await get(`/stats/days?${DAYS}&events=true`)).days;
    expect(
      days.map(({ event_count_reason: reason }: { event_count_reason: string }) => reason).slice(1),
    ).toEqual([...Array.from({ length: 9 }, () => 'points_removed'), null]);
  });

  it('is told wherever points or events are listed', async () => {
    const present = 'from=2026-01-19T00:00:00Z&to=2026-01-20T00:00:00Z';
    const { history_until } = MARKS;
    for (const operation of ['/audio/range?', '/events/loud?']) {
      expect(await get(`${operation}${DAYS}&limit=1`)).toMatchObject({ history_until });
      expect(Object.keys(await get(`${operation}${present}`))).not.toContain('history_until');
    }
    const removed = 'from=2026-01-15T00:00:00Z&to=2026-01-16T00:00:00Z';
    for (const operation of ['list', 'top', 'series'].map((name) => `/events/${name}?`)) {
      expect(await get(`${operation}${DAYS}`)).toMatchObject(MARKS);
      const marks = { history_until: '2026-01-16T00:00:00.000000Z', levels_unavailable: true };
      expect(await get(`${operation}${removed}&threshold=-10`)).toMatchObject(marks);
      expect(Object.keys(await get(`${operation}${present}`))).not.toContain('history_until');
    }
    expect(await get('/events/list')).toMatchObject({ ...MARKS, from: null, to: null });
    expect(await get('/events/loud')).toMatchObject({ history_until });
  });

  it('is told in a header of files and tables', async () => {
    const headerOf = async (path: string, accept: string) => {
      const { status, headers } = await fetch(`${service.url}/api/v1${path}`, { headers: { accept } });
      return [status, headers.get('history-until')];
    };
    const present = DAYS.replace('-10T', '-19T');
    for (const type of Object.values(FORMATS)) {
      expect(await headerOf(`/export/csv?${DAYS}`, type)).toEqual([200, MARKS.history_until]);
      expect(await headerOf(`/export/csv?${present}`, type)).toEqual([200, null]);
    }
    for (const path of ['/events/list', '/events/top', '/stats/days'].map((each) => `${each}?${DAYS}`)) {
      expect(await headerOf(path, CSV_TYPE)).toEqual([200, MARKS.history_until]);
      expect(await headerOf(path, 'application/json')).toEqual([200, null]);
    }
  });

  it('moves a relative end to the minute, and refuses other ends within one', async () => {
    const body = await get('/stats/summary?from=now-45d&to=now-44d');
    expect([body.from, body.to]).toEqual(['2026-01-15T12:00:00.000000Z', '2026-01-16T12:00:00.000000Z']);
    expect(body.point_count).toBeGreaterThan(6000);
    const window = await get('/stats/summary?to=now-44d&period=24h');
    expect([window.from, window.to]).toEqual([body.from, body.to]);
    expect(await service.client.stats.summary.query({ from: 'now-45d', to: 'now-44d' })).toEqual(body);
    for (const [query, parameter] of [
      ['from=2026-01-15T12:00:30Z&to=2026-01-16T12:00:00Z', 'from'],
      ['from=2026-01-15T12:00:00Z&to=2026-01-16T12:00:00.5Z', 'to'],
      ['to=now-1052h&period=10s', 'to'],
    ]) {
      const { status, body } = await service.get(`/stats/summary?${query}`);
      expect([status, body.errors]).toEqual([
        400,
        [{ parameter, detail: expect.stringMatching(/^must be a whole minute/) }],
      ]);
    }
    const { from } = await get('/stats/series?from=2026-01-15T10:30:07Z&to=2026-01-16T00:00:00Z&bucket=1h'); // no points there
    expect(from).toBe('2026-01-15T10:30:07.000000Z');
  });

  it('has no buckets shorter than a minute', async () => {
    const hour = 'from=2026-01-15T14:00:00Z&to=2026-01-15T15:00:00Z';
    for (const operation of ['series', 'frequencies']) {
      expect((await get(`/stats/${operation}?${hour}`)).bucket).toBe('1m');
      const { status, body } = await service.get(`/stats/${operation}?${hour}&bucket=30s`);
      expect([status, body.errors[0].parameter]).toEqual([400, 'bucket']);
    }
  });

  it('is in service.info', async () => {
    expect(await get('/service/info')).toMatchObject({
      history_since: '2026-01-11T00:00:00.000000Z',
      points_since: '2026-01-19T00:00:00.000000Z',
    });
  });
});
