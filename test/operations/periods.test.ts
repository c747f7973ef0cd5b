// The unit of levels in every answer that has levels.

import { beforeEach, expect, it } from 'vitest';
import { UNKNOWN } from '../../src/contract/periods.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { limitOf } from '../limits.ts';
import { DBFS_SCALE } from '../scales.ts';
import { insertPoints, startTestService } from '../service.ts';

const MIXED = { unit: null, reference_db: null };

describeOnWire('The scale of levels', (engine) => {
  const service = openForAll(() =>
    startTestService(engine, {
      site: {
        calibrationOffsetDb: 120,
        limits: [limitOf('06:00', '22:00', 55)],
      },
    }),
  );
  beforeEach(async () => {
    await service.sql('truncate audio_data');
    await service.sql('truncate audio_data_periods');
  });

  const at = (hour: number) => `2026-02-01T${String(hour).padStart(2, '0')}:00:00Z`;
  const points = (...hours: number[]) =>
    service.sql(insertPoints(hours.map((hour): [string, number, number] => [at(hour), -12.5, 440])));
  const put = (hour: number, settings: object) =>
    service.sql(`insert into audio_data_periods select *
      from json_populate_record(null::audio_data_periods, '${JSON.stringify({ since: at(hour), ...settings })}')`);
  const period = (hour: number, weighting: string | null, reference_db: number | null, interval_ms = 100) =>
    put(hour, { weighting, reference_db, interval_ms });

  /** The scale that each operation reports for `[from, to)`, on both transports. */
  async function scales(from: number, to: number) {
    const interval = { from: at(from), to: at(to) };
    const query = new URLSearchParams(interval);
    const { stats, events } = service.client;
    const all = {
      '/stats/summary': stats.summary.query(interval),
      '/stats/series': stats.series.query(interval),
      '/stats/days': stats.days.query(interval),
      '/stats/distribution': stats.distribution.query(interval),
      '/stats/limits': stats.limits.query(interval),
      '/stats/why': stats.why.query(interval),
      '/events/list': events.list.query(interval),
      '/events/series': events.series.query(interval),
      '/events/top': events.top.query(interval),
    };
    const found = [];
    for (const [path, typed] of Object.entries(all)) {
      const { status, body } = await service.get(`${path}?${query}`);
      expect([path, status]).toEqual([path, 200]);
      expect(await typed).toEqual(body);
      found.push(body.scale);
    }
    for (const scale of found) expect(scale).toEqual(found[0]);
    return found[0];
  }
  const fileName = async (from: number, to: number) => {
    const query = new URLSearchParams({ from: at(from), to: at(to) });
    const { headers, body } = await service.get(`/export/csv?${query}`);
    const lines: string[] = body.trimEnd().split('\n').slice(1);
    for (const line of lines) expect(line.split(',')[1]).toBe('-12.5'); // as stored
    return /filename="(.*)"/
      .exec(headers.get('content-disposition') ?? '')?.[1]
      ?.replace(/\d{4}-[^_]+Z/g, 'T');
  };

  it('is dBFS without periods, with points or without', async () => {
    expect(await scales(0, 10)).toEqual(DBFS_SCALE);
    await points(1, 2);
    expect([await scales(0, 10), await fileName(0, 10)]).toEqual([DBFS_SCALE, 'audio_T_T.csv']);
  });

  it.each([
    ['A', 85, 'dB(A)', 'dBA_re_85'],
    ['C', 95.5, 'dB(C)', 'dBC_re_95.5'],
    ['Z', 120, 'dB', 'dB_re_120'],
  ])(
    'has the unit of the period: %s with the reference %d is %s',
    async (weighting, reference, unit, name) => {
      await points(1, 5, 6);
      await period(5, weighting, reference);
      const scale = { unit, reference_db: reference, weighting };
      for (const [from, to] of [
        [5, 10],
        [2, 10], // no point precedes the period
        [6, 7],
        [20, 23], // without points
      ] as const)
        expect([await scales(from, to), await fileName(from, to)]).toEqual([
          { ...DBFS_SCALE, ...scale },
          `audio_T_T_${name}.csv`,
        ]);
      expect(await scales(0, 5)).toEqual(DBFS_SCALE);
      expect([await scales(0, 10), await fileName(0, 10)]).toEqual([
        { ...DBFS_SCALE, ...MIXED, recording_period_count: 2 },
        'audio_T_T_mixed_scales.csv',
      ]);
    },
  );

  it('is unknown if the scales of periods with points differ, but not if only other settings differ', async () => {
    await points(1, 3, 5, 9, 11);
    await period(1, 'A', 85);
    await period(3, 'A', 85, 200);
    await period(4, 'C', 100); // has no points
    await period(5, 'A', 95);
    await period(8, null, null); // without settings
    await period(11, 'A', null);
    const dBA = { unit: 'dB(A)', reference_db: 85 };
    expect(await scales(0, 5)).toMatchObject({ ...dBA, recording_period_count: 2 });
    expect(await scales(2, 4)).toMatchObject({ ...dBA, recording_period_count: 1 });
    expect(await scales(3, 6)).toMatchObject({ ...MIXED, recording_period_count: 2 });
    expect(await scales(8, 13)).toMatchObject({ unit: 'dBFS', reference_db: 0, recording_period_count: 2 });
    expect(await scales(0, 13)).toMatchObject({ ...MIXED, recording_period_count: 5 });
    const { body } = await service.get('/events/list'); // without an interval
    expect(body.scale).toMatchObject({ ...MIXED, recording_period_count: 5 });
  });

  it('is unknown if weightings or statistics differ, even with one unit', async () => {
    await points(1, 3, 5, 7, 9, 11, 13, 15);
    await period(3, 'Z', null);
    await period(5, 'A', null);
    await period(7, 'A', 85);
    await put(9, { weighting: 'A', time_weighting: 'fast', reference_db: 85 });
    await put(11, { weighting: 'A', reference_db: 85, statistic: 'leq' });
    await put(13, { weighting: 'A', reference_db: 85 });
    await put(15, { weighting: 'A', reference_db: 85, statistic: 'sample' });
    expect(await scales(0, 4)).toMatchObject({ unit: 'dBFS', reference_db: 0, recording_period_count: 2 }); // the first has no settings
    expect(await scales(3, 6)).toMatchObject({ ...MIXED, recording_period_count: 2 });
    expect(await scales(7, 10)).toMatchObject({ ...MIXED, recording_period_count: 2 });
    expect(await scales(11, 14)).toMatchObject({ unit: 'dB(A)', recording_period_count: 2 });
    expect(await scales(11, 16)).toMatchObject({ ...MIXED, recording_period_count: 3 }); // one statistic is unknown
  });

  it('starts in the years 1 to 9999, with values within bounds', async () => {
    const times = ['-infinity', '4713-01-01Z BC', '10000-01-01Z'].map((since) => ({ since }));
    const references = ['NaN', 'infinity'].map((reference_db) => ({ reference_db }));
    for (const bad of [
      ...times,
      ...references,
      { statistic: 'l10' },
      { clock: 'sundial' },
      { instrument: 'x'.repeat(201) },
    ])
      await expect(put(0, bad)).rejects.toThrow('check');
  });

  it('is listed by service.info for the newest 100 periods, newest first, on both transports', async () => {
    await period(3, 'A', 85);
    const [dBC, dBA] = [
      {
        reference_db: 100,
        weighting: 'C',
        time_weighting: 'slow',
        calibration_db: 120.11,
        interval_ms: 1000,
      },
      { reference_db: 85, weighting: 'A', interval_ms: 100 },
    ];
    const named = {
      channel: 'max',
      statistic: 'sample',
      instrument: 'NL-52',
      counts_overload: true,
      clock: 'file',
    };
    await put(4, { ...dBC, ...named });
    await put(2, {});
    const { body } = await service.get('/service/info');
    expect(body.periods).toEqual([
      { since: '2026-02-01T04:00:00.000000Z', unit: 'dB(C)', ...dBC, ...named },
      { ...UNKNOWN, since: '2026-02-01T03:00:00.000000Z', unit: 'dB(A)', ...dBA },
      { ...UNKNOWN, since: '2026-02-01T02:00:00.000000Z', unit: 'dBFS' },
    ]);
    expect(await service.client.service.info.query()).toEqual(body);
    await service.sql(`insert into audio_data_periods (since, weighting)
      select '2026-03-01Z'::timestamptz + n * interval '1 day', 'A' from generate_series(1, 120) n`);
    const { periods } = (await service.get('/service/info')).body;
    expect([periods.length, periods[0].since, periods[99].since]).toEqual([
      100,
      '2026-06-29T00:00:00.000000Z',
      '2026-03-22T00:00:00.000000Z',
    ]);
  });
});
