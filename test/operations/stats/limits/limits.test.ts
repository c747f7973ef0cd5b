import { beforeEach, describe, expect, it } from 'vitest';
import { AgainstLimitsOutput } from '../../../../src/operations/stats/limits/contract.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { limitOf } from '../../../limits.ts';
import { DBFS_SCALE } from '../../../scales.ts';
import { insertPoints, queryOf, startBeside, startTestService } from '../../../service.ts';

const DAY = 'from=2026-01-01T05:00:00Z&to=2026-01-02T05:00:00Z';
const near = (level: number) => expect.closeTo(level, 9);

describeOnWire('stats.limits', (engine) => {
  const limits = [limitOf('06:00', '22:00', 55), limitOf('22:00', '06:00', 45)];
  const service = openForAll(() =>
    startTestService(engine, { site: { timeZone: 'Europe/Vienna', limits, calibrationOffsetDb: 85 } }),
  );
  const uncalibrated = openForAll(() => startBeside(service));
  beforeEach(async () => {
    await service.sql('truncate audio_data');
    await service.sql('truncate audio_data_periods');
  });

  const get = queryOf(service, '/stats/limits', AgainstLimitsOutput);
  const EVENTS =
    'event_threshold_db=-40&event_hysteresis=0&event_hold_seconds=auto&event_min_duration_seconds=0';
  const against = (query: string) => get(`${query}&${EVENTS}`);
  const againstGiven = queryOf(uncalibrated, '/stats/limits', AgainstLimitsOutput);

  const LEQ_DAY = 10 * Math.log10((0.01 + 1e-4 + 1e-4) / 3);
  const storeDay = () =>
    service.sql(
      insertPoints([
        ['2026-01-01T04:59:59Z', -1, 100], // before `from`
        ['2026-01-01T08:00:00Z', -20, 100], // an event, and a minute above the limit
        ['2026-01-01T08:00:30Z', -40, 100],
        ['2026-01-01T08:01:00Z', null, 100], // no level
        ['2026-01-01T09:00:00Z', -40, 100],
        ['2026-01-01T20:59:59.9Z', -25, 100], // an event that starts by day and continues into the night
        ['2026-01-01T21:00:00.1Z', -25, 100],
        ['2026-01-02T02:00:00Z', -40, 100], // equal to the night's limit, so not above it
        ['2026-01-02T05:00:00Z', -1, 100], // at `to`
      ]),
    );

  it('compares each part, its minutes and its events with its limit', async () => {
    await storeDay();
    const leqDay = 10 * Math.log10((3 * 10 ** (LEQ_DAY / 10) + 10 ** -2.5) / 4);
    const leqNight = 10 * Math.log10((10 ** -2.5 + 1e-4) / 2);
    const day = {
      point_count: 5,
      leq_db: near(leqDay),
      leq_low_db: near(leqDay),
      excess_db: near(leqDay + 30),
      minute_count: 3,
      minutes_over: 2,
      minutes_undecided: 0,
      event_count: 2,
      event_count_reason: null,
      overload_percent: null,
    };
    // the event that lasts past 22:00 starts in the day, so the night has none
    const night = {
      point_count: 2,
      leq_db: near(leqNight),
      leq_low_db: near(leqNight),
      excess_db: near(leqNight + 40),
      minute_count: 2,
      minutes_over: 1,
      minutes_undecided: 0,
      event_count: 0,
      event_count_reason: null,
      overload_percent: null,
    };
    // the median spacing is 59 minutes, so gaps of five times that or more count as not measured
    const day_measured = near(80 * (1 - 43_199.9 / 57_600)); // one of five points has no level
    const night_measured = near(100 * (1 - 17_999.9 / 28_800));
    const plain = {
      weighting: 'A',
      penalty_db: 0,
      max_limit_db: null,
      max_db: null,
      max_over_count: null,
      max_state: null,
    };
    const undecided = { state: 'undecided', reason: 'too_little_measured' };
    const over = { state: 'over', reason: null }; // for certain, whatever the rest of the night was
    const ofPart = {
      is_cut: false,
      is_running: false,
      assess: 'part',
      ...plain,
      over_range: 0,
      first_over_range: null,
      lacking_count: null,
      average_left_db: null,
      passed_at: null,
    };
    const used = (excess: number) => expect.closeTo(100 * 10 ** (excess / 10), 6);
    const compared = {
      day: { assessed_db: near(leqDay + 85), assessed_from: '2026-01-01T05:00:00.000000Z' },
      night: { assessed_db: near(leqNight + 85), assessed_from: '2026-01-01T21:00:00.000000Z' },
    };
    const answer = await against(DAY);
    expect(answer).toEqual({
      excluded_seconds: 0,
      from: '2026-01-01T05:00:00.000000Z',
      to: '2026-01-02T05:00:00.000000Z',
      time_zone: 'Europe/Vienna',
      scale: DBFS_SCALE,
      offset_db: 85,
      assess: 'part',
      uncertainty_db: null,
      min_measured_percent: 90,
      event_threshold_db: -40,
      event_above_background: null,
      limits: [
        {
          start: '06:00',
          end: '22:00',
          limit_db: 55,
          assess: null,
          ...plain,
          ...day,
          ...undecided,
          part_count: 1,
          parts_over: 0,
          parts_undecided: 1,
          ...compared.day,
          measured_percent: day_measured,
        },
        {
          start: '22:00',
          end: '06:00',
          limit_db: 45,
          assess: null,
          ...plain,
          ...night,
          ...over,
          part_count: 1,
          parts_over: 1,
          parts_undecided: 0,
          ...compared.night,
          measured_percent: night_measured,
        },
      ],
      parts: [
        {
          from: '2026-01-01T05:00:00.000000Z',
          to: '2026-01-01T21:00:00.000000Z',
          limit_db: 55,
          ...ofPart,
          ...compared.day,
          ...day,
          measured_percent: day_measured,
          ...undecided,
          used_percent: used(leqDay + 30),
        },
        {
          from: '2026-01-01T21:00:00.000000Z',
          to: '2026-01-02T05:00:00.000000Z',
          limit_db: 45,
          ...ofPart,
          ...compared.night,
          ...night,
          measured_percent: night_measured,
          ...over,
          used_percent: used(leqNight + 40),
        },
      ],
    });
    const { body } = await service.get(`/stats/limits?${DAY}`);
    const without = <Row>(rows: readonly Row[]) =>
      rows.map((row) => ({ ...row, event_count: null, event_count_reason: 'not_requested' }));
    expect(body).toEqual({
      ...answer,
      event_threshold_db: null,
      limits: without(answer.limits),
      parts: without(answer.parts),
    });
    const query = `${DAY}&limits=06-22=55,22-06=45`;
    expect(await against(`${query}&time_zone=Europe/Vienna`)).toEqual(answer);
    // a service without limits uses the given ones, in its own zone
    expect(await againstGiven(query)).toMatchObject({ time_zone: 'UTC', offset_db: null });
  });

  it('measures without comparing if the microphone is not calibrated', async () => {
    await storeDay();
    const { offset_db, limits, parts } = await againstGiven(`${DAY}&limits=06-22=55&time_zone=Europe/Vienna`);
    const nothing = { excess_db: null, minutes_over: null, minutes_undecided: null, event_count: null };
    const none = { parts_over: null, parts_undecided: null, ...nothing };
    expect(offset_db).toBe(null);
    expect(limits).toMatchObject([{ point_count: 5, minute_count: 3, ...none }]);
    expect(parts).toMatchObject([{ point_count: 5, minute_count: 3, state: null, ...nothing }]);
    expect(parts[0]?.measured_percent).toBeCloseTo(20, 3);
  });

  it("adds the period's reference, and compares nothing if references differ", async () => {
    await storeDay();
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values ('2026-01-01T04:00:00Z', 'A', 96)`);
    const { offset_db, limits } = await against(DAY);
    expect([offset_db, limits[0]?.minutes_over]).toEqual([96, 3]);
    await service.sql(`insert into audio_data_periods (since, weighting, reference_db)
      values ('2026-01-01T20:00:00Z', 'A', 85)`);
    const mixed = await against(DAY);
    expect(mixed.scale).toMatchObject({ unit: null, reference_db: null, recording_period_count: 2 });
    expect([mixed.offset_db, mixed.limits.map(({ minutes_over }) => minutes_over)]).toEqual([
      null,
      [null, null],
    ]);
  });

  it('counts events as events.list finds them: 60 flyovers count 60', async () => {
    // a flyover a quarter of an hour, 40 s long and with a dip, over a background that varies
    await service.sql(`insert into audio_data (time, rms_db)
      select time, case when second between 300 and 340 and second not between 318 and 324 then -25 + second % 3
        else -45 + second % 5 - case when random() < 0.01 then -6 else 0 end end
      from (select time, extract(epoch from time)::int % 900 as second
        from generate_series('2026-01-01T04:30:00Z'::timestamptz, '2026-01-01T19:59:59Z', '1 s') as time) as seconds`);
    const interval = 'from=2026-01-01T05:00:00Z&to=2026-01-01T20:00:00Z';
    const { limits, parts, ...answer } = await get(`${interval}&events=true&limits=06-14=55,14-22=55:5`);
    expect(answer).toMatchObject({ event_threshold_db: null, event_above_background: 10 });
    expect(parts.map(({ event_count }) => event_count)).toEqual([32, 28]);
    expect(limits.map(({ event_count }) => event_count)).toEqual([32, 28]);
    const days = await service.get(`/stats/days?${interval}&event_above_background=10`);
    expect(days.body.overall).toMatchObject({ event_count: 60, event_count_reason: null });
    const list = await service.get(`/events/list?${interval}`);
    expect(list.body.events).toHaveLength(60);
  });

  it('has parts even without points, but no parts if no limit applies', async () => {
    const nothing = { leq_db: null, excess_db: null, minute_count: 0, minutes_over: 0, event_count: 0 };
    const { limits, parts } = await against(`${DAY}&limits=06-22=55`);
    expect(parts).toMatchObject([{ point_count: 0, ...nothing }]);
    expect(limits).toMatchObject([{ point_count: 0, ...nothing, part_count: 1, parts_over: 0 }]);
    expect(parts).toMatchObject([{ measured_percent: 0, state: 'undecided' }]);
    const noon = 'from=2026-01-01T12:00:00Z&to=2026-01-01T13:00:00Z&limits=22-06=45';
    const none = await against(noon);
    const ofNone = { ...nothing, part_count: 0, parts_over: 0, state: null, reason: null };
    expect([none.parts, none.limits]).toMatchObject([[], [{ point_count: 0, ...ofNone }]]);
  });

  describe('judges a part', () => {
    const every10s = (from: string, to: string, level: number | null) =>
      service.sql(`insert into audio_data (time, rms_db) select time, ${level}
        from generate_series('${from}'::timestamptz, '${to}'::timestamptz - interval '1 s', interval '10 s') as time`);
    const recordedWith = (reference_db: number) =>
      service.sql(`insert into audio_data_periods (since, weighting, reference_db)
        values ('2026-01-01T00:00:00Z', 'A', ${reference_db})`);
    const [morning, noon] = ['2026-01-01T08:00:00Z', '2026-01-01T12:00:00Z'];
    const MORNING = `from=${morning}&to=${noon}&time_zone=UTC&limits=08-12=45`;
    const judge = async (query = MORNING) => {
      const { limits, parts } = await get(query);
      return { limit: limits[0], parts };
    };

    it('as over or under if at least 90 % was measured, beyond rounding', async () => {
      await every10s(morning, noon, -40);
      const counts = { minutes_undecided: 0, parts_undecided: 0 };
      const { limit, parts } = await judge(); // the stored -40 dB are 45 dB absolute
      expect(limit).toMatchObject({ minutes_over: 0, parts_over: 0, ...counts });
      expect(parts).toMatchObject([{ measured_percent: 100, state: 'under' }]);
      const above = await judge(MORNING.replace('=45', '=44.9'));
      expect(above.limit).toMatchObject({ minutes_over: 240, parts_over: 1, ...counts });
      expect(above.parts).toMatchObject([{ measured_percent: 100, state: 'over' }]);
    });

    it('as undecided if less was measured, or if no point has a level', async () => {
      await every10s(morning, '2026-01-01T11:00:00Z', -40);
      const { limit, parts } = await judge();
      expect(limit).toMatchObject({ minutes_over: 0, parts_over: 0, parts_undecided: 1 });
      expect(parts).toMatchObject([
        { measured_percent: near(100 * (1 - 3610 / 14_400)), state: 'undecided' },
      ]);
      await service.sql('truncate audio_data');
      await every10s(morning, noon, null);
      expect((await judge()).parts).toMatchObject([
        { leq_db: null, measured_percent: 0, state: 'undecided' },
      ]);
    });

    it('as undecided if only levels at the floor are above the limit', async () => {
      await recordedWith(120);
      await every10s(morning, noon, -50); // at the floor: the true level is 70 dB at most
      const { limit, parts } = await judge();
      const counts = { minute_count: 240, minutes_over: 0, minutes_undecided: 240 };
      expect(limit).toMatchObject({ leq_low_db: null, parts_over: 0, parts_undecided: 1, ...counts });
      expect(parts).toMatchObject([
        {
          leq_db: -50,
          leq_low_db: null,
          excess_db: 25,
          measured_percent: 100,
          state: 'undecided',
          ...counts,
        },
      ]);
    });

    it('as over if levels above the floor alone exceed the limit', async () => {
      await recordedWith(90);
      await every10s(morning, noon, -50);
      await service.sql(`update audio_data set rms_db = -30 where time < '2026-01-01T08:30:00Z'`);
      const { limit, parts } = await judge(MORNING.replace('=45', '=39'));
      expect(limit).toMatchObject({ minutes_over: 30, minutes_undecided: 210, parts_over: 1 });
      expect(parts).toMatchObject([{ state: 'over' }]);
    });

    it('that has begun, but not a future part', async () => {
      await every10s('2026-03-01T11:00:00Z', '2026-03-01T12:00:00Z', -20);
      const { parts } = await judge(
        'from=2026-03-01T11:00:00Z&to=2026-03-01T15:00:00Z&limits=11-13=45,13-15=45&time_zone=UTC',
      );
      expect(parts).toMatchObject([
        { measured_percent: 100, state: 'over' },
        { measured_percent: null, state: 'undecided', reason: 'not_yet', minutes_over: 0 },
      ]);
    });

    it('by its own spacing and gaps, like stats.quality', async () => {
      await service.sql(`insert into audio_data (time, rms_db) select time, -20
        from generate_series('2026-01-01T08:00:00Z'::timestamptz, '2026-01-01T09:59:00Z', interval '1 min') as time;
        insert into audio_data_periods (since, interval_ms)
          values ('2026-01-01T08:00:00Z', 60000), ('2026-01-01T10:00:00Z', 10000)`);
      await every10s('2026-01-01T10:00:00Z', noon, -20);
      for (const [from, to] of [
        ['08:30', '08:36'],
        ['09:00', '09:03'], // too short for a gap when points are a minute apart
        ['11:00', '11:01'],
      ])
        await service.sql(
          `delete from audio_data where time >= '2026-01-01T${from}Z' and time < '2026-01-01T${to}Z'`,
        );
      const hours = 'limits=08-10=45,10-12=45&time_zone=UTC';
      const { parts } = await judge(`from=${morning}&to=${noon}&${hours}`);
      expect(parts).toMatchObject([
        { measured_percent: near(100 * (1 - 7 / 120)), state: 'over' },
        { measured_percent: near(100 * (1 - 70 / 7200)), state: 'over' },
      ]);
      for (const { from, to, measured_percent } of parts) {
        const { body } = await service.get(`/stats/quality?from=${from}&to=${to}`);
        expect(body.coverage_percent).toBe(measured_percent);
      }
    });
  });

  it('judges the parts of ten years as those of a day, but without minutes', async () => {
    const stretches = [
      ['2016-03-01T06:00:00Z', '2016-03-03T06:00:00Z', '1 min', -30],
      ['2020-02-29T08:00:00Z', '2020-03-01T20:00:00Z', '20 s', -20],
      ['2026-01-02T06:00:00Z', '2026-01-06T06:00:00Z', '1 min', -35],
    ] as const;
    for (const [from, to, step, level] of stretches)
      await service.sql(`insert into audio_data (time, rms_db)
        select time, ${level} - extract(hour from time) / 2 from generate_series('${from}'::timestamptz,
          '${to}'::timestamptz - interval '1 s', '${step}') as time`);
    const ten = 'from=2016-02-15T00:00:00Z&to=2026-02-15T00:00:00Z';
    const long = await against(ten);
    expect(long.parts.length).toBeGreaterThan(7305);
    const states = new Set<string | null>();
    for (const [from, to] of stretches) {
      const { parts } = await against(
        `from=${from.slice(0, 8)}01T00:00:00Z&to=${to.slice(0, 8)}10T00:00:00Z`,
      );
      for (const {
        minute_count,
        minutes_over,
        minutes_undecided,
        first_over_range,
        is_cut,
        ...part
      } of parts) {
        if (part.point_count === 0 || is_cut) continue;
        const found = long.parts.find((each) => each.from === part.from);
        expect(found).toEqual({
          ...part,
          is_cut,
          measured_percent: expect.closeTo(part.measured_percent ?? Number.NaN, 0), // by minutes, not by gaps
          minute_count: null,
          minutes_over: null,
          minutes_undecided: null,
          first_over_range: null,
        });
        states.add(part.state);
      }
    }
    expect(states).toEqual(new Set(['over', 'under', 'undecided']));
    const { parts, ...summed } = await against(`${ten}&parts=omit`);
    expect([parts, summed]).toEqual([[], { ...long, parts: undefined }]);
  });
});

describeOnWire('stats.limits of a station with rules of its own', (engine) => {
  const limits = [limitOf('08:00', '12:00', 45, 3)];
  const site = {
    limits,
    calibrationOffsetDb: 85,
    assess: 'hour',
    uncertaintyDb: 1.5,
    minMeasuredPercent: 70,
  } as const;
  const service = openForAll(() => startTestService(engine, { site }));
  const get = queryOf(service, '/stats/limits', AgainstLimitsOutput);
  const [FROM, TO] = ['2026-01-01T08:00:00Z', '2026-01-01T12:00:00Z'];
  const every10s = (from: string, to: string, level: number) =>
    service.sql(`insert into audio_data (time, rms_db) select time, ${level}
      from generate_series('${from}'::timestamptz, '${to}'::timestamptz - interval '1 s', interval '10 s') as time`);
  beforeEach(() => service.sql('truncate audio_data'));

  it('compares the loudest full hour plus its penalty, and names the rules', async () => {
    await every10s(FROM, '2026-01-01T10:30:00Z', -45);
    await every10s('2026-01-01T09:15:00Z', '2026-01-01T09:30:00Z', -30);
    const { parts, limits: all, ...rest } = await get(`from=2026-01-01T08:10:00Z&to=${TO}`);
    expect(rest).toMatchObject({ assess: 'hour', uncertainty_db: 1.5, min_measured_percent: 70 });
    // the hour from 8 is not full, and the hour from 10 is only half measured
    const level = 10 * Math.log10((360 * 10 ** -4.5 + 90 * 10 ** -3) / 450) + 88;
    const compared = {
      assessed_db: near(level),
      assessed_from: '2026-01-01T09:00:00.000000Z',
      penalty_db: 3,
    };
    expect(parts).toMatchObject([
      { ...compared, limit_db: 45, is_cut: true, lacking_count: 2, state: 'over', reason: null },
    ]);
    expect(all).toMatchObject([{ assessed_db: null, part_count: 0, parts_over: 0, state: null }]);
    const quarters = await get(`from=${FROM}&to=2026-01-01T10:30:00Z&assess=15m`);
    expect(quarters.parts).toMatchObject([
      { assessed_from: '2026-01-01T09:15:00.000000Z', state: 'over', measured_percent: near(62.5) },
    ]);
    const whole = await get(`from=${FROM}&to=2026-01-01T10:30:00Z&assess=part`);
    expect(whole.parts).toMatchObject([{ assessed_from: '2026-01-01T08:00:00.000000Z' }]);
  });

  it.each([
    [-43.6, 'undecided'], // 44.4 dB with the penalty, within 45 ± 1.5
    [-44.6, 'under'],
    [-41.6, 'undecided'],
    [-41.3, 'over'],
  ])('judges %f dB as %s, by its uncertainty', async (level, state) => {
    await every10s(FROM, TO, level);
    expect((await get(`from=${FROM}&to=${TO}`)).parts).toMatchObject([{ state }]);
  });
});

describeOnWire('A level reported as equal to the limit', (engine) => {
  const service = openForAll(() => startTestService(engine, { site: { calibrationOffsetDb: 85 } }));
  const get = queryOf(service, '/stats/limits', AgainstLimitsOutput);

  it.each([
    [-39.96, 'under'], // 45.04 rounds to 45.0
    [-39.94, 'over'], // 45.06 rounds to 45.1
    [-40.04, 'under'],
  ])('is under the limit: %f dB is %s', async (level, state) => {
    await service.sql('truncate audio_data');
    await service.sql(`insert into audio_data (time, rms_db) select time, ${level}
      from generate_series('2026-01-01T08:00:00Z'::timestamptz, '2026-01-01T08:59:50Z', interval '10 s') as time`);
    const { parts } = await get('from=2026-01-01T08:00:00Z&to=2026-01-01T09:00:00Z&limits=08-09=45');
    expect(parts).toMatchObject([{ state }]);
  });
});

describeOnWire('A stated uncertainty of 0 dB', (engine) => {
  const site = { calibrationOffsetDb: 85, uncertaintyDb: 0 };
  const service = openForAll(() => startTestService(engine, { site }));
  const get = queryOf(service, '/stats/limits', AgainstLimitsOutput);

  it.each([
    [-39.96, 'over'],
    [-40, 'undecided'],
    [-40.04, 'under'],
  ])('rounds nothing: %f dB against -40 dB is %s', async (level, state) => {
    await service.sql('truncate audio_data');
    await service.sql(`insert into audio_data (time, rms_db) select time, ${level}
      from generate_series('2026-01-01T08:00:00Z'::timestamptz, '2026-01-01T08:59:50Z', interval '10 s') as time`);
    const { parts } = await get('from=2026-01-01T08:00:00Z&to=2026-01-01T09:00:00Z&limits=08-09=45');
    expect(parts).toMatchObject([{ state }]);
  });
});
