import { beforeEach, expect, it } from 'vitest';
import { SeriesOutput } from '../../../../src/operations/stats/series/contract.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { DBFS_SCALE } from '../../../scales.ts';
import { insertPoints, queryOf, startTestService } from '../../../service.ts';

const NOTHING = {
  point_count: 0,
  avg_db: null,
  max_db: null,
  min_db: null,
  leq_db: null,
  leq_low_db: null,
  l10_db: null,
  l50_db: null,
  l90_db: null,
  dominant_frequency_hz: null,
  silence_percent: null,
};

describeOnWire('stats.series', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql('truncate audio_data'));
  const series = queryOf(service, '/stats/series', SeriesOutput);

  it('returns every bucket, even empty ones, and counts only the points of the interval', async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:59.999999Z', -1, 100],
        ['2026-01-01T00:01:00Z', -10, 300],
        ['2026-01-01T00:01:29.999999Z', -20, 200, true],
        ['2026-01-01T00:01:59Z', null, null],
        ['2026-01-01T00:02:00Z', -40, 700],
        ['2026-01-01T00:04:10Z', null, null, true],
        ['2026-01-01T00:04:30Z', -2, 100],
      ]),
    );
    const query = 'from=2026-01-01T00:01:00Z&to=2026-01-01T00:04:30Z&bucket=1m';
    const { buckets, ...rest } = await series(`${query}&exceeded_levels=include`);
    expect(rest).toEqual({
      from: '2026-01-01T00:01:00.000000Z',
      to: '2026-01-01T00:04:30.000000Z',
      excluded_seconds: 0,
      scale: DBFS_SCALE,
      bucket: '1m',
      time_zone: 'UTC',
    });
    expect(buckets).toEqual([
      {
        time: '2026-01-01T00:01:00.000000Z',
        point_count: 3,
        avg_db: -15,
        max_db: -10,
        min_db: -20,
        leq_db: expect.closeTo(10 * Math.log10((0.1 + 0.01) / 2), 9),
        leq_low_db: expect.closeTo(10 * Math.log10((0.1 + 0.01) / 2), 9),
        l10_db: -10,
        l50_db: -20,
        l90_db: -20,
        dominant_frequency_hz: 200,
        silence_percent: expect.closeTo(100 / 3, 9),
      },
      {
        time: '2026-01-01T00:02:00.000000Z',
        point_count: 1,
        avg_db: -40,
        max_db: -40,
        min_db: -40,
        leq_db: expect.closeTo(-40, 9),
        leq_low_db: expect.closeTo(-40, 9),
        l10_db: -40,
        l50_db: -40,
        l90_db: -40,
        dominant_frequency_hz: 700,
        silence_percent: 0,
      },
      { ...NOTHING, time: '2026-01-01T00:03:00.000000Z' },
      { ...NOTHING, time: '2026-01-01T00:04:00.000000Z', point_count: 1, silence_percent: 100 },
    ]);
    const uncounted = { leq_low_db: null, l10_db: null, l50_db: null, l90_db: null };
    expect((await series(query)).buckets).toEqual(buckets.map((bucket) => ({ ...bucket, ...uncounted })));
  });

  it('aligns buckets to UTC, and starts the first one before the interval if necessary', async () => {
    await service.sql(
      insertPoints([
        ['2026-03-28T12:00:00Z', -1, 100],
        ['2026-03-29T23:59:59.999999Z', -2, 200],
        ['2026-03-30T00:00:00Z', -3, 300],
      ]),
    );
    // clocks in Europe go forward in this interval
    const { buckets } = await series(
      'from=2026-03-28T12:00:00.000001Z&to=2026-03-30T00:00:00.000001Z&bucket=1d',
    );
    expect(buckets.map(({ time, point_count }) => [time, point_count])).toEqual([
      ['2026-03-28T00:00:00.000000Z', 0],
      ['2026-03-29T00:00:00.000000Z', 1],
      ['2026-03-30T00:00:00.000000Z', 1],
    ]);
    const before = await series('from=1969-12-31T23:59:59Z&to=1970-01-01T00:00:01Z&bucket=12h');
    expect(before.buckets.map(({ time }) => time)).toEqual([
      '1969-12-31T12:00:00.000000Z',
      '1970-01-01T00:00:00.000000Z',
    ]);
  });

  it('has buckets for the days of a time zone, from midnight to midnight', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2026-03-27T23:00Z'::timestamptz + n * interval '30 min', -30 from generate_series(-1, 200) n`);
    const days = async (query: string) => {
      const { buckets, ...rest } = await series(query);
      return [rest.bucket, rest.time_zone, ...buckets.map(({ time, point_count }) => [time, point_count])];
    };
    const vienna = 'from=2026-03-28T12:00:00Z&to=2026-03-30T22:00:00.000001Z&time_zone=Europe/Vienna';
    const expected = [
      '1d',
      'Europe/Vienna',
      ['2026-03-27T23:00:00.000000Z', 22], // points before `from` do not count
      ['2026-03-28T23:00:00.000000Z', 46],
      ['2026-03-29T22:00:00.000000Z', 48],
      ['2026-03-30T22:00:00.000000Z', 1],
    ];
    expect(await days(`${vienna}&bucket=1d`)).toEqual(expected);
    expect(await days(`${vienna}&max_points=4`)).toEqual(expected);
    // three days suffice in UTC; buckets of 12h do not follow the time zone
    expect((await days(vienna.replace('Europe/Vienna', 'UTC&max_points=3'))).slice(0, 2)).toEqual([
      '1d',
      'UTC',
    ]);
    expect((await days(`${vienna}&max_points=6`)).slice(0, 3)).toEqual([
      '12h',
      'Europe/Vienna',
      ['2026-03-28T12:00:00.000000Z', 24],
    ]);
  });

  it.each([
    ['Asia/Kolkata', '2026-01-01T00:10:00Z'],
    ['Asia/Kathmandu', '2026-01-01T00:10:00Z'],
    ['Europe/Vienna', '2026-03-28T12:10:00Z'],
    ['Europe/Vienna', '2026-10-24T12:10:00Z'],
    ['America/St_Johns', '2026-10-31T12:10:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T00:10:00Z'],
  ])('has the hours that clocks in %s show after %s', async (zone, from) => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '${from}'::timestamptz + n * interval '7 min', -30 - n % 10 from generate_series(-30, 600) n`);
    const to = new Date(Date.parse(from) + 48 * 3_600_000).toISOString();
    const [local, utc] = [zone, 'UTC'].map((name) => `(time at time zone '${name}')`);
    const shown = await service.sql(`select count(*)::int as point_count, max(rms_db) as max_db,
        min(time)::text as first, max(time)::text as last
      from audio_data where time >= '${from}' and time < '${to}'
      group by date_trunc('hour', ${local}), ${local} - ${utc} order by min(time)`);
    const query = `from=${from}&to=${to}&time_zone=${zone}`;
    const answer = await series(`${query}&bucket=1h`);
    expect([answer.bucket, answer.time_zone]).toEqual(['1h', zone]);
    expect(answer.buckets.map(({ point_count, max_db }) => ({ point_count, max_db }))).toEqual(
      shown.map(({ point_count, max_db }) => ({ point_count, max_db })),
    );
    // each bucket starts after the previous bucket's last point, and not after its own first point
    for (const [index, { first }] of shown.entries())
      expect(Date.parse(answer.buckets[index]?.time ?? '')).toBeLessThanOrEqual(Date.parse(first));
    for (const [index, { last }] of shown.slice(0, -1).entries())
      expect(Date.parse(answer.buckets[index + 1]?.time ?? '')).toBeGreaterThan(Date.parse(last));
    expect(await series(`${query}&max_points=${shown.length}`)).toEqual(answer);
  });

  it.each([
    ['1w', 'week', 'UTC'],
    ['1w', 'week', 'Europe/Vienna'],
    ['1w', 'week', 'Asia/Kathmandu'],
    ['1mo', 'month', 'UTC'],
    ['1mo', 'month', 'America/St_Johns'],
    ['1mo', 'month', 'Australia/Lord_Howe'], // its clocks change by half an hour
    ['1y', 'year', 'Pacific/Apia'], // had no 30 December 2011
    ['1y', 'year', 'Europe/Vienna'],
  ])('with buckets of %s has every %s of the calendar of %s', async (bucket, unit, zone) => {
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2011-03-01Z'::timestamptz + n * interval '97 min', nullif(-0.1 * (n % 501), -7), 100 + n % 13
      from generate_series(0, 11000) n where n not between 5000 and 6000`);
    const [from, to] = ['2011-04-11T00:00:00Z', '2013-02-28T12:00:00Z'];
    const local = `date_trunc('${unit}', time at time zone '${zone}')`;
    const shown = await service.sql(`
      select (${local} at time zone '${zone}')::text as time, count(*)::int as point_count, max(rms_db) as max_db,
        10 * log(avg(power(10::float8, rms_db::float8 / 10))) as leq,
        percentile_disc(0.5) within group (order by rms_db) as l50_db,
        mode() within group (order by frequency_hz) as frequency
      from (select * from audio_data where time >= '${from}' and time < '${to}') as points group by ${local} order by 1`);
    const query = `from=${from}&to=${to}&time_zone=${zone}&exceeded_levels=include`;
    const { buckets, ...answer } = await series(`${query}&bucket=${bucket}`);
    expect(answer).toMatchObject({ bucket, time_zone: zone });
    const filled = buckets.filter(({ point_count }) => point_count > 0);
    expect(filled.map(({ time }) => Date.parse(time))).toEqual(
      shown.map(({ time }) => Date.parse(time.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))),
    );
    for (const [index, { time: _, leq, frequency, ...rest }] of shown.entries())
      expect(filled[index]).toMatchObject({
        ...rest,
        leq_db: expect.closeTo(leq, 9),
        dominant_frequency_hz: frequency,
      });
    expect(filled.reduce((sum, { point_count }) => sum + point_count, 0)).toBeGreaterThan(9000);
    expect(buckets.length).toBe({ '1w': 99, '1mo': 23, '1y': 3 }[bucket]);
    const omitted = await series(`${query}&bucket=${bucket}`.replace('include', 'omit'));
    const uncounted = { leq_low_db: null, l10_db: null, l50_db: null, l90_db: null };
    expect(omitted.buckets).toEqual(
      buckets.map((each) => ({ ...each, ...uncounted, dominant_frequency_hz: null })),
    );
    if (zone !== 'UTC')
      expect(await series(`${query}&max_points=${buckets.length}`)).toEqual({ ...answer, buckets });
  });

  it.each([
    ['from=2026-01-01T00:00:00Z&to=2026-01-01T00:08:20Z', '1s', 500],
    ['from=2026-01-01T00:00:00Z&to=2026-01-01T00:08:20.000001Z', '2s', 251],
    ['from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z', '2h', 360],
    ['from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z&max_points=720', '1h', 720],
    ['from=2026-01-01T00:30:00Z&to=2026-01-31T00:30:00Z&max_points=720', '2h', 361],
    ['from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z&max_points=30', '1d', 30],
    ['from=2026-01-01T00:00:00Z&to=2026-01-01T01:23:20Z&bucket=1s', '1s', 5000],
    ['from=2016-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', '1d', 3653],
    ['from=2016-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&time_zone=Europe/Vienna', '1w', 523],
    ['from=2016-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&max_points=522', '1mo', 120],
    ['from=2016-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&max_points=100', '1y', 10],
    ['from=2024-01-01T00:00:00Z&to=2025-01-01T00:00:00Z&bucket=1h', '1h', 8784],
  ])('with %s has buckets of %s', async (query, bucket, count) => {
    const answer = await series(query);
    expect([answer.bucket, answer.buckets.length]).toEqual([bucket, count]);
  });
});
