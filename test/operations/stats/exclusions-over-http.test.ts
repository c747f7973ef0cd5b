// Every statistic leaves an exclusion out as soon as it is stored.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { andOnCitus, describeOnWire } from '../../engines.ts';
import { limitOf } from '../../limits.ts';
import { startTestService, type TestService } from '../../service.ts';

const SHORT = 'threshold=-10&hold_seconds=2&min_duration_seconds=0';
const OPERATIONS = [
  'stats/summary',
  'stats/series',
  'stats/distribution',
  'stats/frequencies',
  'stats/days',
  'stats/limits',
  'stats/why',
  `events/list?${SHORT}`,
  `events/series?${SHORT}`,
  `events/top?${SHORT}&limit=100`,
] as const;
const HOUR = 'from=2026-01-10T10:00:00Z&to=2026-01-10T11:00:00Z';

andOnCitus(describeOnWire)('exclusions', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    const limits = [limitOf('10:00', '11:00', 50)];
    service = await startTestService(engine, { site: { limits, calibrationOffsetDb: 90, timeZone: 'UTC' } });
    // -5 dB for one second in the middle of each minute, else -45
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2026-01-10T10:00:00Z'::timestamptz + n * interval '1 s', case when n % 60 = 30 then -5 else -45 end, 440
      from generate_series(0, 3599) n`);
  });
  afterAll(() => service.close());

  const get = async (operation: string, more = '') => {
    const { status, body } = await service.get(
      `/${operation}${operation.includes('?') ? '&' : '?'}${HOUR}${more}`,
    );
    expect(status, operation).toBe(200);
    return body;
  };
  const exclude = (since: string, until: string) =>
    service.sql(`insert into audio_data_exclusions (since, until, reason)
      values ('2026-01-10T${since}Z', '2026-01-10T${until}Z', 'rain')`);

  it('leave their points out at once, in every operation, unless they are ignored', async () => {
    const before = await Promise.all(OPERATIONS.map((operation) => get(operation)));
    for (const body of before) expect(body.excluded_seconds).toBe(0);
    await exclude('10:10:00', '10:20:00.5');
    await exclude('10:15:00', '10:20:30'); // overlaps the one before
    await exclude('10:59:00', '11:30:00');
    const answers = await Promise.all(OPERATIONS.map((operation) => get(operation)));
    for (const body of answers) expect(body.excluded_seconds).toBe(690);
    const ignored = await Promise.all(OPERATIONS.map((operation) => get(operation, '&exclusions=ignore')));
    expect(ignored).toEqual(before);
    const { exclusions, ...quality } = await get('stats/quality');
    expect(quality.point_count).toBe(3600);
    expect(quality.exclusion_count).toBe(3);
    expect(exclusions).toEqual([
      { from: '2026-01-10T10:10:00.000000Z', to: '2026-01-10T10:20:00.500000Z', reason: 'rain', by: null },
      { from: '2026-01-10T10:15:00.000000Z', to: '2026-01-10T10:20:30.000000Z', reason: 'rain', by: null },
      { from: '2026-01-10T10:59:00.000000Z', to: '2026-01-10T11:30:00.000000Z', reason: 'rain', by: null },
    ]);
    const [summary, series, distribution, frequencies, days, limits, why, list, eventSeries, top] = answers;
    expect(summary.point_count).toBe(3600 - 690);
    const empty = series.buckets.filter((bucket: { point_count: number }) => bucket.point_count === 0);
    expect(empty.length * 10).toBe(690); // buckets of 10 s
    expect(distribution.level_count).toBe(2910);
    expect(
      frequencies.buckets.reduce(
        (sum: number, { counts }: { counts: number[] }) => sum + (counts[6] ?? 0),
        0,
      ),
    ).toBe(2910);
    expect(days.days[0]).toMatchObject({ point_count: 2910 });
    // 12 of the 60 minutes are not measured in full: 11 are excluded, and a part of 10:20
    expect(days.days[0].day_measured_percent).toBeCloseTo((100 * 48) / 720, 9);
    expect(limits.parts[0]).toMatchObject({ point_count: 2910, minute_count: 48, minutes_over: 48 });
    expect(limits.parts[0].measured_percent).toBeCloseTo((100 * 2910) / 3600, 9);
    const [part] = why.parts;
    expect(part.episodes).toMatchObject([{ kind: 'background', share_percent: part.used_percent }]);
    const starts = list.events.map(({ start }: { start: string }) => start.slice(14, 16));
    expect(starts).toHaveLength(60 - 12 + 1); // 10:20:30 is the first second after the exclusions
    expect(starts).not.toContain('15');
    expect(eventSeries.event_count).toBe(49);
    expect(top.event_count).toBe(49);
    const counted = await get(
      'stats/limits',
      '&event_threshold_db=-10&event_hold_seconds=2&event_min_duration_seconds=0',
    );
    expect(counted.parts[0].event_count).toBe(49);
    await service.sql('delete from audio_data_exclusions');
    expect(await Promise.all(OPERATIONS.map((operation) => get(operation)))).toEqual(before);
  });

  it('do not affect points, exports, or stats.quality', async () => {
    const all = ['audio/range', 'export/csv', 'stats/quality'] as const;
    const bodyOf = async (operation: string) => {
      const { body } = await service.get(`/${operation}?${HOUR}`);
      if (operation !== 'stats/quality') return body;
      const { exclusions: _, exclusion_count: __, ...figures } = body;
      return figures;
    };
    const bodies = () => Promise.all(all.map(bodyOf));
    const before = await bodies();
    await exclude('10:10:00', '10:20:00');
    expect(await bodies()).toEqual(before);
    const { status, body } = await service.get(`/stats/quality?${HOUR}&exclusions=apply`);
    expect([status, body.errors[0].parameter]).toEqual([400, 'exclusions']);
    await service.sql('delete from audio_data_exclusions');
  });
});
