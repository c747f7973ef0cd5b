import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { rangeOf } from '../../../../src/contract/ranges.ts';
import type { Database } from '../../../../src/database/database.ts';
import { bucketsBetween, totalsByBucket } from '../../../../src/operations/stats/buckets.ts';
import { type Day, DaysOutput } from '../../../../src/operations/stats/days/contract.ts';
import { refreshRollups } from '../../../../src/rollups/refresh-rollups.ts';
import { answer } from '../../../../src/rollups/rollup-planner.ts';
import { describeOnWire, describeServer, openForAll } from '../../../engines.ts';
import { DBFS_SCALE } from '../../../scales.ts';
import { insertPoints, queryOf, startTestService } from '../../../service.ts';

describeOnWire('stats.days', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql('truncate audio_data; truncate audio_data_periods'));
  const days = queryOf(service, '/stats/days', DaysOutput);

  it('includes the whole night of each day, also in the figures of the interval', async () => {
    await service.sql(`insert into audio_data_periods (since, interval_ms) values ('2025-12-01Z', 1000)`);
    await service.sql(
      insertPoints([
        ['2026-01-01T05:59:59Z', -1, 100], // before `from`, in the same night
        ['2026-01-01T06:30:00Z', -40, 100], // still the night of 31 December
        ['2026-01-01T07:00:00Z', -20, 100],
        ['2026-01-01T08:00:00Z', null, 100],
        ['2026-01-01T19:00:00Z', -30, 100],
        ['2026-01-01T23:00:00Z', -40, 100],
        ['2026-01-02T06:59:59.999999Z', -50, 100],
        ['2026-01-02T07:00:00Z', -10, 100], // the only point of the next day
        ['2026-01-02T08:00:00Z', -1, 100], // at `to`
      ]),
    );
    const {
      days: all,
      overall,
      whole_days,
      ...rest
    } = await days('from=2026-01-01T06:00:00Z&to=2026-01-02T08:00:00Z');
    expect(rest).toEqual({
      excluded_seconds: 0,
      from: '2026-01-01T06:00:00.000000Z',
      to: '2026-01-02T08:00:00.000000Z',
      by: 'day',
      time_zone: 'UTC',
      day_start: 7,
      evening_start: 19,
      night_start: 23,
      evening: 'on',
      evening_penalty_db: 5,
      night_penalty_db: 10,
      event_threshold_db: null,
      event_above_background: null,
      offset_db: null,
      scale: DBFS_SCALE,
    });
    const night = 10 * Math.log10((1e-4 + 1e-5) / 2);
    const lowNight = 10 * Math.log10(1e-4 / 2);
    const lden = (day: number, evening: number, night: number) =>
      10 *
      Math.log10(
        (12 * 10 ** (day / 10) + 4 * 10 ** ((evening + 5) / 10) + 8 * 10 ** ((night + 10) / 10)) / 24,
      );
    expect(all).toEqual([
      {
        date: '2025-12-31',
        from: '2025-12-31T07:00:00.000000Z',
        to: '2026-01-01T07:00:00.000000Z',
        days_whole: 0,
        days_total: 1,
        point_count: 1,
        leq_db: -40,
        leq_low_db: -40,
        lday_db: null,
        levening_db: null,
        lnight_db: -40,
        lden_db: null,
        rated_db: null,
        lday_low_db: null,
        levening_low_db: null,
        lnight_low_db: -40,
        lden_low_db: null,
        rated_low_db: null,
        event_count: null,
        event_count_reason: 'not_requested',
        day_count: 0,
        evening_count: 0,
        night_count: 1,
        day_measured_percent: 0,
        evening_measured_percent: 0,
        night_measured_percent: 100 / 480, // of the nominal night, which the interval cuts
        under_range: 0,
        over_range: 0,
        overload_percent: null,
      },
      {
        date: '2026-01-01',
        from: '2026-01-01T07:00:00.000000Z',
        to: '2026-01-02T07:00:00.000000Z',
        days_whole: 0,
        days_total: 1,
        point_count: 5,
        leq_db: expect.closeTo(10 * Math.log10((1e-2 + 1e-3 + 1e-4 + 1e-5) / 4), 9),
        leq_low_db: expect.closeTo(10 * Math.log10((1e-2 + 1e-3 + 1e-4) / 4), 9),
        lday_db: -20,
        levening_db: -30,
        lnight_db: expect.closeTo(night, 9),
        lden_db: expect.closeTo(lden(-20, -30, night), 9),
        rated_db: null, // the levels are not calibrated
        lday_low_db: -20,
        levening_low_db: -30,
        lnight_low_db: expect.closeTo(lowNight, 9),
        lden_low_db: expect.closeTo(lden(-20, -30, lowNight), 9),
        rated_low_db: null,
        event_count: null,
        event_count_reason: 'not_requested',
        day_count: 2,
        evening_count: 1,
        night_count: 2,
        day_measured_percent: 200 / 720,
        evening_measured_percent: 100 / 240,
        night_measured_percent: 200 / 480,
        under_range: 1,
        over_range: 0,
        overload_percent: null,
      },
      expect.objectContaining({
        date: '2026-01-02',
        point_count: 1,
        lday_db: -10,
        lden_db: null,
        day_measured_percent: 100 / 720,
      }),
    ]);
    const nights = 10 * Math.log10((1e-4 + 1e-4 + 1e-5) / 3);
    const lowNights = 10 * Math.log10(2e-4 / 3);
    const theDay = 10 * Math.log10((1e-2 + 1e-1) / 2);
    expect(whole_days).toMatchObject({ days: 0, point_count: 0, leq_db: null });
    expect(overall).toEqual({
      point_count: 7,
      leq_db: expect.closeTo(10 * Math.log10((2e-4 + 1e-2 + 1e-3 + 1e-5 + 1e-1) / 6), 9),
      leq_low_db: expect.closeTo(10 * Math.log10((2e-4 + 1e-2 + 1e-3 + 1e-1) / 6), 9),
      lday_db: expect.closeTo(theDay, 9),
      levening_db: -30,
      lnight_db: expect.closeTo(nights, 9),
      lden_db: expect.closeTo(lden(theDay, -30, nights), 9),
      rated_db: null,
      lday_low_db: expect.closeTo(theDay, 9),
      levening_low_db: -30,
      lnight_low_db: expect.closeTo(lowNights, 9),
      lden_low_db: expect.closeTo(lden(theDay, -30, lowNights), 9),
      rated_low_db: null,
      event_count: null,
      event_count_reason: 'not_requested',
      day_count: 3,
      evening_count: 1,
      night_count: 3,
      day_measured_percent: 300 / 780,
      evening_measured_percent: 100 / 240,
      night_measured_percent: 300 / 540,
      under_range: 1,
      over_range: 0,
      overload_percent: null,
    });
  });

  describe('rates a day', () => {
    const DAY = 'from=2026-01-01T07:00:00Z&to=2026-01-02T07:00:00Z';
    const EVERY = 'event_hysteresis=0&event_hold_seconds=auto&event_min_duration_seconds=0';
    const rated = (...parts: [hours: number, level: number][]) =>
      expect.closeTo(
        10 * Math.log10(parts.reduce((sum, [hours, level]) => sum + (hours / 24) * 10 ** (level / 10), 0)),
        9,
      );
    beforeEach(async () => {
      await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
        values ('2026-01-01T00:00:00Z', 'A', 95.1)`);
      await service.sql(
        insertPoints([
          ['2026-01-01T12:00:00Z', -20, 100],
          ['2026-01-01T20:00:00Z', -30, 100],
          ['2026-01-01T22:30:00Z', -35, 100],
          ['2026-01-01T23:30:00Z', -40, 100],
        ]),
      );
    });
    afterAll(() => service.sql('truncate audio_data_periods'));
    const [EVENING, LATE] = [
      10 * Math.log10((1e-3 + 10 ** -3.5) / 2),
      10 * Math.log10((10 ** -3.5 + 1e-4) / 2),
    ];

    it('as the directive defines, on the scale of limits', async () => {
      const { overall, offset_db } = await days(DAY);
      expect(offset_db).toBe(95.1);
      expect(overall).toMatchObject({
        lden_db: rated([12, -20], [4, EVENING + 5], [8, -30]),
        rated_db: rated([12, 75.1], [4, EVENING + 100.1], [8, 65.1]),
      });
      const absolute = await days(`${DAY}&levels=absolute`);
      expect(absolute.offset_db).toBe(0);
      expect(absolute.overall.rated_db).toBe(overall.rated_db);
      expect(absolute.overall.lden_db).toBeCloseTo(overall.rated_db ?? Number.NaN, 8);
    });

    it('with levels at the floor as zero energy, also where a part has no others', async () => {
      await service.sql('update audio_data set rms_db = -50 where rms_db <= -35');
      const { overall } = await days(`${DAY}&levels=absolute`);
      const evening = 10 * Math.log10(1e-3 / 2);
      const low = rated([12, 75.1], [4, evening + 100.1]);
      expect(overall).toMatchObject({
        lday_low_db: expect.closeTo(75.1, 9),
        levening_low_db: expect.closeTo(evening + 95.1, 9),
        lnight_low_db: null,
        lden_low_db: low,
        rated_low_db: low,
      });
      await service.sql('update audio_data set rms_db = -50');
      expect((await days(DAY)).overall).toMatchObject({ lden_low_db: null, rated_low_db: null });
    });

    it('without an evening: Ldn', async () => {
      const { overall, evening } = await days(`${DAY}&evening=off&night_start=22`);
      expect(evening).toBe('off');
      const day = 10 * Math.log10((1e-2 + 1e-3) / 2);
      expect(overall).toMatchObject({
        lday_db: expect.closeTo(day, 9),
        levening_db: null,
        lnight_db: expect.closeTo(LATE, 9),
        lden_db: null,
        rated_db: rated([15, day + 95.1], [9, LATE + 105.1]),
        evening_count: 0,
        evening_measured_percent: null,
      });
    });

    it('with other penalties: CNEL', async () => {
      const { overall } = await days(`${DAY}&night_start=22&evening_penalty_db=4.77`);
      expect(overall).toMatchObject({
        lden_db: null,
        rated_db: rated([12, 75.1], [3, 69.87], [9, LATE + 105.1]),
      });
    });

    it.each(['0', '24'])('with a night that starts at midnight, as night_start=%s', async (night_start) => {
      const { overall } = await days(`${DAY}&night_start=${night_start}`);
      expect(overall).toMatchObject({ evening_count: 3, night_count: 0, lnight_db: null, rated_db: null });
    });

    it('by its events above a level, on the requested scale', async () => {
      for (const query of ['event_threshold_db=-32', 'event_threshold_db=63.1&levels=absolute']) {
        const { days: all, overall, event_threshold_db } = await days(`${DAY}&${query}&${EVERY}`);
        expect([all[0]?.event_count, overall.event_count]).toEqual([2, 2]);
        expect(event_threshold_db).toBe(query.includes('absolute') ? 63.1 : -32);
      }
    });

    it('by its events above a level, on a scale that was set after the last answer', async () => {
      await days(`${DAY}&levels=absolute`);
      await service.sql('update audio_data_periods set reference_db = 45.1');
      const { overall, scale } = await days(`${DAY}&event_threshold_db=13.1&levels=absolute&${EVERY}`);
      expect(overall.event_count).toBe(2);
      expect(scale.floor_db).toBe(-4.9);
    });
  });

  it('counts as whole only days that are past, in the interval, and measured', async () => {
    // two points a minute; the second evening lacks 25 minutes, the third 24, which is exactly a tenth
    await service.sql(`insert into audio_data (time, rms_db)
      select time, case when time < '2026-02-03T07:00Z' then -20 else -30 end
      from generate_series('2026-02-01T07:00Z'::timestamptz, '2026-02-06T07:00Z', interval '30 s') as time
      where not (time >= '2026-02-02T20:00Z' and time < '2026-02-02T20:25Z')
        and not (time >= '2026-02-03T20:00Z' and time < '2026-02-03T20:24Z')`);
    const { days: all, whole_days } = await days('from=2026-02-01T07:00:00Z&to=2026-02-05T23:00:30Z');
    expect(all.map(({ evening_measured_percent }) => evening_measured_percent)).toEqual([
      100,
      21_500 / 240,
      90,
      100,
      100,
    ]);
    expect(all.map(({ night_measured_percent }) => night_measured_percent)).toEqual([100, 100, 100, 100, 0]);
    const both = 10 * Math.log10((240 * 1e-2 + (216 + 240) * 1e-3) / (240 + 216 + 240));
    expect(all.map(({ days_whole }) => days_whole)).toEqual([1, 0, 1, 1, 0]);
    expect(whole_days).toMatchObject({
      days: 3, // the first, the third and the fourth
      point_count: 2 * (3 * 1440 - 24),
      levening_db: expect.closeTo(both, 9),
      lnight_db: expect.closeTo(10 * Math.log10((1e-2 + 2e-3) / 3), 9),
      evening_measured_percent: expect.closeTo(100 * (1 - 24 / 720), 9),
    });
    const ahead = await days('from=2026-03-01T07:00:00Z&to=2026-03-02T07:00:00Z'); // now is 12:00:00.5
    expect(ahead.days[0]).toMatchObject({ day_measured_percent: 0, evening_measured_percent: 0 });
    expect(ahead.overall).toMatchObject({ day_measured_percent: 0, evening_measured_percent: null });
    expect(ahead.whole_days).toMatchObject({
      days: 0,
      point_count: 0,
      leq_db: null,
      day_measured_percent: null,
    });
  });

  describe('measures windows longer than half a minute as stats.quality does', () => {
    const DAYS = 'from=2026-02-01T07:00:00Z&to=2026-02-04T07:00:00Z';
    const missing = [
      ['2026-02-01T20:00Z', '2026-02-01T20:29Z'],
      ['2026-02-02T21:00Z', '2026-02-03T02:10Z'],
      ['2026-02-03T07:00Z', '2026-02-03T10:31:30Z'],
    ] as const;
    const storeEvery = (seconds: number, from: string, to: string) =>
      service.sql(`insert into audio_data (time, rms_db)
        select time, -20 from generate_series('${from}'::timestamptz, '${to}', interval '${seconds} s') as time
        where not (${missing.map(([since, until]) => `time >= '${since}' and time < '${until}'`).join(' or ')})`);
    /** The share of a stretch outside gaps, by its definition. */
    const share = (times: readonly number[], from: string, to: string, seconds: number) => {
      const [start, end] = [Date.parse(from), Date.parse(to)];
      const all = [start, ...times.filter((time) => time >= start && time < end), end];
      const lengths = all.slice(1).map((time, at) => time - (all[at] ?? 0));
      const gaps = lengths.filter((ms) => ms >= 5000 * seconds).reduce((sum, ms) => sum + ms, 0);
      return expect.closeTo(100 * (1 - gaps / (end - start)), 6);
    };
    const measuredOf = (of: Day) => [
      of.day_measured_percent,
      of.evening_measured_percent,
      of.night_measured_percent,
    ];

    it.each([
      [300, 300_000],
      [900, 900_000],
      [900, null],
      [31, null],
      [145, 145_000],
    ])('every %s s, with a period of %s ms', async (seconds, ms) => {
      if (ms)
        await service.sql(
          `insert into audio_data_periods (since, interval_ms) values ('2026-01-01Z', ${ms})`,
        );
      await storeEvery(seconds, '2026-02-01T06:50:07Z', '2026-02-05Z');
      const rows = await service.sql(
        'select extract(epoch from time)::float8 * 1000 as ms from audio_data order by time',
      );
      const times = rows.map(({ ms }) => ms);
      const { days: all, whole_days } = await days(DAYS);
      for (const day of all) {
        const at = (hour: string) => `${day.date}T${hour}:00:00.000000Z`;
        const starts = [day.from, at('19'), at('23'), day.to];
        const expected = starts.slice(1).map((to, part) => share(times, starts[part] ?? '', to, seconds));
        expect(measuredOf(day)).toEqual(expected);
        for (const [part, percent] of measuredOf(day).entries()) {
          const [from = '', to = ''] = starts.slice(part, part + 2);
          const { coverage_percent } = await service.client.stats.quality.query({ from, to });
          expect(percent).toBeCloseTo(coverage_percent ?? Number.NaN, 6);
        }
      }
      const isWhole = all.map((day) => measuredOf(day).every((percent) => (percent ?? 0) >= 90));
      expect(whole_days.days).toBe(isWhole.filter(Boolean).length);
      expect(isWhole).toEqual([seconds === 900, false, false]);
    });

    it('each part by the period at its end', async () => {
      await service.sql(`insert into audio_data_periods (since, interval_ms)
        values ('2026-01-01Z', 1000), ('2026-02-11T07:00Z', 900000)`);
      await storeEvery(60, '2026-02-10T07:00Z', '2026-02-11T06:59Z');
      await storeEvery(900, '2026-02-11T07:00Z', '2026-02-12T06:59Z');
      await service.sql(`delete from audio_data where time >= '2026-02-10T12:00Z' and time < '2026-02-10T15:00Z'
        or time >= '2026-02-11T12:00Z' and time < '2026-02-11T15:00Z'`);
      const { days: all, overall } = await days('from=2026-02-10T07:00:00Z&to=2026-02-12T07:00:00Z');
      expect(all.map(measuredOf)).toEqual([
        [75, 100, 100],
        [expect.closeTo((100 * (12 - 3.25)) / 12, 9), 100, 100],
      ]);
      expect(overall.day_measured_percent).toBeCloseTo((100 * (24 - 6.25)) / 24, 9);
    });
  });

  it.each([
    ['Europe/Vienna', 7, 19, 23],
    ['America/St_Johns', 6, 18, 22],
    ['Australia/Lord_Howe', 7, 19, 23], // its clocks change by half an hour
  ])('equals the formulas on 366 days in %s', async (zone, day, evening, night) => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2027-12-31Z'::timestamptz + n * interval '51 min 9 s', -50 * random() from generate_series(0, 10367) n`);
    const expected = await service.sql(`
      select to_char(local - interval '${day} h', 'YYYY-MM-DD') as date,
        case when extract(hour from local) < ${day} or extract(hour from local) >= ${night} then 'night'
          when extract(hour from local) < ${evening} then 'day' else 'evening' end as part,
        count(*)::int as count, 10 * log(avg(power(10::float8, rms_db::float8 / 10))) as leq
      from (select time at time zone '${zone}' as local, rms_db from audio_data
        where time >= '2028-01-01T12:00:00Z' and time < '2028-12-31T12:00:00Z') as points
      group by 1, 2`);
    const { days: all } = await days(
      `from=2028-01-01T12:00:00Z&to=2028-12-31T12:00:00Z&time_zone=${zone}&day_start=${day}&evening_start=${evening}&night_start=${night}`,
    );
    expect(all.length).toBeGreaterThanOrEqual(365);
    const found = new Map(expected.map(({ date, part, ...rest }) => [`${date} ${part}`, rest]));
    const lengths = { day: evening - day, evening: night - evening, night: 24 - night + day };
    for (const each of all) {
      const [d, e, n] = (['day', 'evening', 'night'] as const).map((part) => {
        const { count = 0, leq = null } = found.get(`${each.date} ${part}`) ?? {};
        expect([part, each.date, each[`${part}_count`]]).toEqual([part, each.date, count]);
        if (leq === null) expect(each[`l${part}_db`]).toBeNull();
        else expect(each[`l${part}_db`]).toBeCloseTo(leq, 9);
        return leq;
      });
      if (d == null || e == null || n == null) expect(each.lden_db).toBeNull();
      else
        expect(each.lden_db).toBeCloseTo(
          10 *
            Math.log10(
              (lengths.day * 10 ** (d / 10) +
                lengths.evening * 10 ** ((e + 5) / 10) +
                lengths.night * 10 ** ((n + 10) / 10)) /
                24,
            ),
          9,
        );
    }
    expect(all.reduce((sum, { point_count }) => sum + point_count, 0)).toBe(
      expected.reduce((sum, { count }) => sum + count, 0),
    );
  });

  it('accepts ten years', async () => {
    await service.sql(insertPoints([['2020-02-29T12:00:00Z', -20, 100]]));
    const all = await days('from=2016-01-01T07:00:00Z&to=2026-01-01T07:00:00Z&time_zone=Asia/Kolkata');
    expect(all.days.length).toBe(3654);
    expect(all.days.filter(({ point_count }) => point_count)).toEqual([
      expect.objectContaining({ date: '2020-02-29', day_count: 1 }),
    ]);
  });
});

describeServer('postgres', 'Minutes with points', (engine) => {
  const test = openForAll(() => engine.open());

  it('are looked up by time, even if thousands of them have changed', async () => {
    const interval = { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-15T00:00:00.000000Z' };
    await test.sql(`insert into audio_data (time, rms_db)
      select time, -20 from generate_series('2026-01-01Z'::timestamptz, '2026-01-14T23:59:50Z', interval '10 s') as time`);
    await refreshRollups(test.sql, 100_000);
    await test.sql(
      `update audio_data set rms_db = -3 where time < '2026-01-14Z' and extract(epoch from time)::int % 660 = 0`,
    );
    await test.sql('analyze');
    const plans: string[] = [];
    const query: Database['query'] = async (statement, values) => {
      const { text, parameters } = statement;
      const plan = await test.db.query({ text: `explain ${text}`, parameters }, values);
      if (statement.label === 'statistics') plans.push(JSON.stringify(plan));
      return test.db.query(statement, values);
    };
    const buckets = bucketsBetween(interval, [interval.from, '2026-01-08T00:00:30.000000Z', interval.to]);
    const totals = await answer(
      { ...test, db: { ...test.db, query } },
      totalsByBucket(buckets, rangeOf(interval)),
    );
    expect(totals.map(({ minute_count }) => minute_count)).toEqual([10_081, 10_079]);
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on audio_data\W/);
    expect(plans.length).toBeGreaterThan(0);
  });
});
