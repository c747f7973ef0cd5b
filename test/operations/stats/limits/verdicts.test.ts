// The one rule for verdicts, case by case.
import { beforeEach, describe, expect, it } from 'vitest';
import { AgainstLimitsOutput } from '../../../../src/operations/stats/limits/contract.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { queryOf, startTestService } from '../../../service.ts';

const NIGHT = 'from=2026-01-01T22:00:00Z&to=2026-01-02T06:00:00Z&time_zone=UTC';

describeOnWire('A verdict', (engine) => {
  let now = '';
  const service = openForAll(() =>
    startTestService(engine, { site: { calibrationOffsetDb: 85 }, clock: () => Date.parse(now) }),
  );
  beforeEach(async () => {
    now = '2026-01-03T00:00:00Z';
    for (const table of ['audio_data', 'audio_data_periods', 'audio_data_exclusions', 'audio_data_overload'])
      await service.sql(`truncate ${table}`);
  });
  const get = queryOf(service, '/stats/limits', AgainstLimitsOutput);
  /** Points of a level, on the scale of limits, every ten seconds. */
  const level = (from: string, to: string, db: number | null, step = '10 s') =>
    service.sql(`insert into audio_data (time, rms_db) select time, ${db === null ? 'null' : db - 85}
      from generate_series('2026-01-${from}Z'::timestamptz, '2026-01-${to}Z'::timestamptz - interval '1 ms',
        interval '${step}') as time`);
  const recorded = (columns: object) =>
    service.sql(`insert into audio_data_periods select * from json_populate_record(null::audio_data_periods,
      '${JSON.stringify({ since: '2026-01-01T00:00:00Z', ...columns })}')`);
  const part = async (limits: string, interval = NIGHT) =>
    (await get(`${interval}&limits=${limits}`)).parts[0];
  const decided = async (limits: string, interval = NIGHT) => {
    const { state = null, reason = null } = (await part(limits, interval)) ?? {};
    return [state, reason];
  };
  const near = (value: number) => expect.closeTo(value, 6);

  describe('with levels at the ceiling', () => {
    it('is never under, names the first minute, and excluding that minute decides it', async () => {
      await level('01T22:00:00', '02T06:00:00', 40);
      await service.sql(`update audio_data set rms_db = 0 where time = '2026-01-02T01:30:20Z'`);
      expect(await part('22-06=80')).toMatchObject({
        state: 'undecided',
        reason: 'at_ceiling',
        over_range: 1,
        first_over_range: '2026-01-02T01:30:00.000000Z',
      });
      await service.sql(`insert into audio_data_exclusions (since, until, reason)
        values ('2026-01-02T01:30:00Z', '2026-01-02T01:31:00Z', 'knock')`);
      expect(await part('22-06=80')).toMatchObject({ state: 'under', over_range: 0, first_over_range: null });
    });

    it('is over if the rest alone is over', async () => {
      await level('01T22:00:00', '02T06:00:00', 85);
      expect(await decided('22-06=84')).toEqual(['over', null]);
      expect(await decided('22-06=86')).toEqual(['undecided', 'at_ceiling']);
    });

    it('is not under if a window was overloaded', async () => {
      await recorded({ weighting: 'A', counts_overload: true, interval_ms: 10_000 });
      await level('01T22:00:00', '02T06:00:00', 40);
      await service.sql(`insert into audio_data_overload values ('2026-01-02T03:04:00Z', 2)`);
      expect(await part('22-06=45')).toMatchObject({
        state: 'undecided',
        reason: 'at_ceiling',
        over_range: 0,
        first_over_range: '2026-01-02T03:04:00.000000Z',
      });
    });
  });

  it('of an hour is over by 15 minutes alone, however long the gap after them', async () => {
    await level('01T22:00:00', '02T06:00:00', 40);
    await service.sql(
      `update audio_data set rms_db = -15 where time between '2026-01-02T01:00Z' and '2026-01-02T01:14:59Z'`,
    );
    await service.sql(
      `delete from audio_data where time between '2026-01-02T01:15Z' and '2026-01-02T01:59:59Z'`,
    );
    expect(await part('22-06=45:hour')).toMatchObject({
      state: 'over',
      lacking_count: 1,
      assessed_from: '2026-01-02T01:00:00.000000Z',
      assessed_db: expect.closeTo(64, 0),
      used_percent: expect.closeTo(10 ** (2 + 1.893), -1),
    });
    // the 15 minutes make the hour at least 64 dB, nothing more is certain
    expect(await decided('22-06=65:hour')).toEqual(['undecided', 'too_little_measured']);
  });

  it('needs every hour, but an excluded hour is no candidate and prevents nothing', async () => {
    await level('01T22:00:00', '02T06:00:00', 40);
    await service.sql(
      `delete from audio_data where time between '2026-01-02T01:00Z' and '2026-01-02T01:30Z'`,
    );
    expect(await decided('22-06=45:hour')).toEqual(['undecided', 'too_little_measured']);
    await service.sql(`insert into audio_data_exclusions (since, until, reason)
      values ('2026-01-02T01:00:00Z', '2026-01-02T02:00:00Z', 'rain')`);
    expect(await part('22-06=45:hour')).toMatchObject({ state: 'under', lacking_count: 0 });
  });

  it('is not under if what was measured of a quarter that may lack is above the limit', async () => {
    await level('01T22:00:00', '02T06:00:00', 40);
    await service.sql(`update audio_data set rms_db = -39
      where time >= '2026-01-02T01:00Z' and time < '2026-01-02T01:15Z'`);
    await service.sql(
      `delete from audio_data where time >= '2026-01-02T01:07Z' and time < '2026-01-02T01:15Z'`,
    );
    expect(await part('22-06=45:15m')).toMatchObject({
      state: 'undecided',
      reason: 'too_little_measured',
      lacking_count: 1,
    });
    expect(await part('22-06=47:15m')).toMatchObject({ state: 'under', lacking_count: 1 });
  });

  it('of quarters may lack one by night and two by day', async () => {
    await level('01T06:00:00', '02T06:00:00', 40);
    const lose = (from: string) =>
      service.sql(`delete from audio_data
        where time >= '2026-01-${from}Z' and time < '2026-01-${from}Z'::timestamptz + interval '5 min'`);
    await lose('02T01:00:00');
    expect(await part('22-06=45:15m')).toMatchObject({ state: 'under', lacking_count: 1 });
    await lose('02T03:00:00');
    expect(await part('22-06=45:15m')).toMatchObject({ state: 'undecided', lacking_count: 2 });
    const day = 'from=2026-01-01T06:00:00Z&to=2026-01-01T22:00:00Z&time_zone=UTC';
    for (const from of ['01T10:00:00', '01T12:00:00']) await lose(from);
    expect(await part('06-22=45:15m', day)).toMatchObject({ state: 'under', lacking_count: 2 });
    await lose('01T14:00:00');
    expect(await part('06-22=45:15m', day)).toMatchObject({ state: 'undecided', lacking_count: 3 });
  });

  it.each([['part'], ['hour'], ['15m']])('with assess=%s needs levels, not only points', async (assess) => {
    await level('01T22:00:00', '01T23:30:00', 40);
    await level('01T23:30:00', '02T06:00:00', null);
    expect(await decided(`22-06=45:${assess}`)).toEqual(['undecided', 'too_little_measured']);
  });

  it('of an hour judges what exclusions leave of it', async () => {
    await level('01T22:00:00', '02T06:00:00', 40);
    await service.sql(
      `update audio_data set rms_db = -39 where time between '2026-01-02T01:00Z' and '2026-01-02T01:59:59Z'`,
    );
    await service.sql(`insert into audio_data_exclusions (since, until, reason)
      values ('2026-01-02T01:00:00Z', '2026-01-02T01:20:00Z', 'rain')`);
    expect(await part('22-06=45:hour')).toMatchObject({
      state: 'over',
      assessed_db: near(46),
      lacking_count: 0,
    });
  });

  it('needs levels: points without one measure nothing', async () => {
    await level('01T22:00:00', '02T05:00:00', null);
    await level('02T05:00:00', '02T06:00:00', 40);
    for (const limit of ['22-06=45', '22-06=38', '22-06=45:hour'])
      expect(await decided(limit)).toEqual(['undecided', 'too_little_measured']);
  });

  it('is null if windows change their length, since a mean of points is then no mean of time', async () => {
    await recorded({ weighting: 'A', statistic: 'leq', interval_ms: 1000 });
    await recorded({ since: '2026-01-02T02:00:00Z', weighting: 'A', statistic: 'leq', interval_ms: 60_000 });
    await level('01T22:00:00', '02T02:00:00', 36, '1 s');
    await level('02T02:00:00', '02T06:00:00', 56, '60 s');
    expect(await decided('22-06=50')).toEqual([null, 'two_scales']);
  });

  it('keeps the overload of a minute of which only a part is excluded', async () => {
    await recorded({ weighting: 'A', counts_overload: true, interval_ms: 10_000 });
    await level('01T22:00:00', '02T06:00:00', 41);
    await service.sql(`insert into audio_data_overload values ('2026-01-02T01:30:00Z', 1)`);
    const exclude = (from: string, to: string) =>
      service.sql(`insert into audio_data_exclusions (since, until, reason)
        values ('2026-01-02T01:${from}Z', '2026-01-02T01:${to}Z', 'rain')`);
    await exclude('30:30', '30:50');
    expect(await part('22-06=45')).toMatchObject({
      reason: 'at_ceiling',
      first_over_range: '2026-01-02T01:30:00.000000Z',
    });
    await exclude('30:00', '31:00');
    expect(await part('22-06=45')).toMatchObject({ state: 'under', first_over_range: null });
  });

  it('of a part that the interval cuts is in no count, even if all of it was measured', async () => {
    now = '2026-01-02T04:10:00Z';
    await level('01T04:10:00', '02T04:10:00', 60);
    const { limits, parts } = await get('from=now-24h&to=now&time_zone=UTC&limits=22-06=60');
    expect(parts).toMatchObject([
      { is_cut: true, is_running: false, from: '2025-12-31T22:00:00.000000Z', state: 'undecided' },
      { is_cut: true, is_running: true, to: '2026-01-02T06:00:00.000000Z', state: 'undecided' },
    ]);
    expect(parts.map(({ reason }) => reason)).toEqual(['too_little_measured', 'not_yet']);
    expect(parts[0]?.measured_percent).toBeCloseTo((100 * 110) / 480, 1);
    expect(parts[1]?.measured_percent).toBeCloseTo(100, 1);
    expect(limits).toMatchObject([{ part_count: 0, parts_over: 0, state: null, reason: 'not_yet' }]);
  });

  it('of the last minutes of a night counts nothing beyond them', async () => {
    await level('02T05:50:00', '02T06:00:00', 50);
    const last = 'from=2026-01-02T05:50:00Z&to=2026-01-02T06:00:00Z&time_zone=UTC';
    expect(await part('22-06=45', last)).toMatchObject({ state: 'undecided', is_cut: true });
    expect(await part('22-06=33', last)).toMatchObject({ state: 'over' }); // 50 dB for a 48th of the night
  });

  it('compares levels only with a limit of their weighting', async () => {
    await level('01T22:00:00', '02T06:00:00', 40);
    expect(await decided('22-06=45')).toEqual(['under', null]); // the station says that they are A-weighted
    expect(await decided('22-06=45C')).toEqual([null, 'other_weighting']);
    await recorded({ weighting: 'Z' });
    expect(await part('22-06=45')).toMatchObject({
      state: null,
      reason: 'other_weighting',
      excess_db: null,
      minutes_over: null,
      used_percent: null,
    });
    expect(await decided('22-06=45Z')).toEqual(['under', null]);
  });

  it.each([
    ['samples of a second every minute', 1000, [null, 'samples']],
    ['samples of eight seconds every minute', 8000, ['undecided', 'too_little_measured']],
    ['samples of unknown windows', null, ['under', null]],
  ])('is null for %s if windows are shorter than a tenth of the spacing', async (_, interval_ms, found) => {
    await recorded({ weighting: 'A', statistic: 'sample', interval_ms });
    await level('01T22:00:00', '02T06:00:00', 40, '1 min');
    expect(await decided('22-06=45')).toEqual(found);
  });

  describe('while a part runs', () => {
    beforeEach(async () => {
      now = '2026-01-02T00:00:00Z';
    });
    const tonight = 'from=2026-01-01T22:00:00Z&to=now&time_zone=UTC';

    it('tells how much is used, what is left, and when the limit is passed', async () => {
      await level('01T22:00:00', '02T00:00:00', 45);
      expect(await part('22-06=45', tonight)).toMatchObject({
        state: 'undecided',
        reason: 'not_yet',
        used_percent: near(25),
        average_left_db: near(45),
        passed_at: null,
      });
      await service.sql(`update audio_data set rms_db = -30 where time >= '2026-01-01T23:50:00Z'`);
      const used = (110 * 10 ** 4.5 + 10 * 10 ** 5.5) / (480 * 10 ** 4.5);
      const minutes = ((1 - used) * 480) / 10;
      const found = await part('22-06=45', tonight);
      expect(found?.used_percent).toBeCloseTo(100 * used, 6);
      expect(found?.average_left_db).toBeCloseTo(45 + 10 * Math.log10(((1 - used) * 480) / 360), 6);
      expect(Date.parse(found?.passed_at ?? '')).toBeCloseTo(Date.parse(now) + minutes * 60_000, -1);
    });

    it('is undecided in an interval that lies ahead', async () => {
      await level('01T22:00:00', '02T00:00:00', 52);
      expect(await part('22-06=45', 'from=2026-01-02T01:00:00Z&to=2026-01-02T06:00:00Z')).toMatchObject({
        state: 'undecided',
        is_cut: true,
        is_running: true,
        measured_percent: 0,
        used_percent: null,
        average_left_db: null,
        passed_at: null,
      });
    });

    it('is not yet decided before its first hour ends', async () => {
      await level('01T22:00:00', '02T00:00:00', 40);
      now = '2026-01-01T22:30:00Z';
      expect(await part('22-06=45:hour', tonight)).toMatchObject({
        state: 'undecided',
        reason: 'not_yet',
        measured_percent: 100,
        assessed_db: null,
      });
    });

    it('takes the penalty from what is left', async () => {
      await level('01T22:00:00', '02T00:00:00', 40);
      const found = await part('22-06=45:5', tonight);
      expect(found).toMatchObject({ used_percent: near(25), average_left_db: near(40) });
    });

    it('counts no points that are dated ahead', async () => {
      await level('01T22:00:00', '02T00:00:00', 45);
      await level('02T00:00:00', '02T06:00:00', 80);
      const ahead = 'from=2026-01-01T22:00:00Z&to=2026-01-02T06:00:00Z&time_zone=UTC';
      expect(await part('22-06=45', ahead)).toMatchObject({
        reason: 'not_yet',
        point_count: 720,
        used_percent: near(25),
      });
    });

    it('of hours tells what the running hour has used', async () => {
      now = '2026-01-01T22:30:00Z';
      await level('01T22:00:00', '01T22:30:00', 45);
      const first = await part('22-06=45:hour', tonight);
      expect(first).toMatchObject({ reason: 'not_yet', assessed_db: null, lacking_count: 0 });
      expect(first).toMatchObject({ used_percent: near(50), average_left_db: near(45) });
    });

    it('is over as soon as the energy of the whole night is used', async () => {
      await level('01T22:00:00', '02T00:00:00', 52);
      expect(await part('22-06=45', tonight)).toMatchObject({
        state: 'over',
        is_running: true,
        used_percent: near(25 * 10 ** 0.7),
        average_left_db: null,
        passed_at: null,
      });
    });
  });

  describe('on single maxima', () => {
    const fast = { weighting: 'A', time_weighting: 'fast', statistic: 'max', interval_ms: 10_000 };

    it('is over with one maximum, and counts minutes', async () => {
      await recorded(fast);
      await level('01T22:00:00', '02T06:00:00', 40);
      const quiet = await part('22-06=45:max60');
      expect(quiet).toMatchObject({ state: null, reason: 'energy_of_maxima', max_limit_db: 60 });
      expect(quiet).toMatchObject({ max_db: near(-45), max_over_count: 0, max_state: 'under' });
      await service.sql(`update audio_data set rms_db = -24.9 where time = '2026-01-02T01:30:20Z'`);
      expect(await part('22-06=45:max60')).toMatchObject({ max_over_count: 1, max_state: 'over' });
      const { limits } = await get(`${NIGHT}&limits=22-06=45:max60`);
      expect(limits).toMatchObject([{ max_over_count: 1, max_state: 'over' }]);
    });

    it('counts and judges a maximum of half a tenth above the limit alike', async () => {
      await recorded(fast);
      await level('01T22:00:00', '02T06:00:00', 60.05);
      expect(await part('22-06=45:max60')).toMatchObject({ max_over_count: 480, max_state: 'over' });
    });

    it('is null for maxima of another weighting', async () => {
      await recorded({ ...fast, weighting: 'C' });
      await level('01T22:00:00', '02T06:00:00', 70);
      const none = { max_db: null, max_over_count: null, max_state: null };
      expect(await part('22-06=45:max60')).toMatchObject(none);
      expect(await part('22-06=45C:max60')).toMatchObject({ max_over_count: 480, max_state: 'over' });
    });

    it('is null for a limit of another weighting', async () => {
      await recorded(fast);
      await level('01T22:00:00', '02T06:00:00', 40);
      expect(await part('22-06=45C:max60')).toMatchObject({
        max_db: null,
        max_over_count: null,
        max_state: null,
      });
    });

    it('is null for other levels', async () => {
      await recorded({ weighting: 'A', statistic: 'leq' });
      await level('01T22:00:00', '02T06:00:00', 40);
      expect(await part('22-06=45:max60')).toMatchObject({
        max_db: null,
        max_over_count: null,
        max_state: null,
      });
    });
  });
});
