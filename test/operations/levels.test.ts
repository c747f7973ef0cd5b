// Levels on the scale that a caller chooses. Maxima have no energy mean.

import { beforeEach, expect, it } from 'vitest';
import { LEVEL_FIELDS } from '../../src/contract/shown-scale.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { limitOf } from '../limits.ts';
import { insertPoints, startTestService } from '../service.ts';

const OFFSET = 95.1;
const INTERVAL = { from: '2026-02-01T00:00:00Z', to: '2026-02-01T10:00:00Z' };
const at = (hour: number, second = 0) =>
  `2026-02-01T${String(hour).padStart(2, '0')}:00:${String(second).padStart(2, '0')}Z`;

/** The operations whose answers hold levels, with their required parameters. */
const OPERATIONS: readonly [path: string, more?: Record<string, string>][] = [
  ['/audio/latest', { limit: '7' }],
  ['/audio/range', { ...INTERVAL, limit: '7' }],
  ['/events/loud', { ...INTERVAL, limit: '7' }],
  ['/stats/summary', INTERVAL],
  ['/stats/series', { ...INTERVAL, bucket: '1h', exceeded_levels: 'include' }],
  ['/stats/days', INTERVAL],
  ['/stats/distribution', INTERVAL],
  ['/stats/limits', { ...INTERVAL, limits: '00-24=65', events: 'true' }],
  ['/stats/why', { ...INTERVAL, limits: '00-24=65' }],
  ['/events/list', INTERVAL],
  ['/events/series', { ...INTERVAL, bucket: '1h' }],
  ['/events/top', INTERVAL],
];

/** An answer with an offset added to each of its levels, by field name. */
function shifted(value: unknown, offset: number): unknown {
  if (Array.isArray(value)) return value.map((each) => shifted(each, offset));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) =>
      LEVEL_FIELDS.has(name) && typeof field === 'number'
        ? [name, expect.closeTo(field + offset, 8)]
        : [name, name === 'offset_db' ? 0 : shifted(field, offset)],
    ),
  );
}

describeOnWire('levels=absolute', (engine) => {
  const service = openForAll(() => startTestService(engine));
  const period = (hour: number, settings: object) =>
    service.sql(`insert into audio_data_periods select *
      from json_populate_record(null::audio_data_periods, '${JSON.stringify({ since: at(hour), ...settings })}')`);
  beforeEach(async () => {
    await service.sql('truncate audio_data');
    await service.sql('truncate audio_data_periods');
    const levels = [-50, -42.9, -7.22, -0.001, -12.5, -33.333333, -3, -3, -7.22];
    await service.sql(
      insertPoints(
        levels.flatMap((level, n): [string, number, number][] => [
          [at(1, n), level, 440],
          [at(3, n), level, 1000],
        ]),
      ),
    );
    await service.sql(
      `insert into audio_data (time, rms_db, frequency_hz, is_silence) values ('${at(3, 30)}', null, null, true)`,
    );
  });
  const get = async (path: string, query: Record<string, string>) => {
    const { status, body } = await service.get(`${path}?${new URLSearchParams(query)}`);
    return { status, body };
  };

  it.each(OPERATIONS)('shifts every level of %s, and declares the scale', async (path, query = {}) => {
    await period(0, { weighting: 'A', reference_db: OFFSET, interval_ms: 1000, statistic: 'leq' });
    const { body: stored } = await get(path, query);
    const { status, body } = await get(path, { ...query, levels: 'absolute' });
    expect([status, body.errors]).toEqual([200, undefined]);
    const { scale, next_cursor, ...others } = body;
    expect(scale).toEqual({
      levels: 'absolute',
      unit: 'dB(A)',
      reference_db: 0,
      floor_db: 45.1,
      weighting: 'A',
      time_weighting: null,
      statistic: 'leq',
      energy_unavailable: false,
      recording_period_count: 1,
    });
    const { scale: _, next_cursor: next, ...expected } = stored;
    expect(others).toEqual(shifted(expected, OFFSET));
    expect(next_cursor == null).toBe(next == null);
  });

  it('reads thresholds on the same scale, and pages on it', async () => {
    await period(0, { weighting: 'A', reference_db: OFFSET, interval_ms: 1000 });
    for (const path of ['/events/loud', '/audio/range']) {
      const query = { ...INTERVAL, limit: '3', ...(path === '/events/loud' && { threshold: '87.8' }) };
      const all = await get(path, { ...query, limit: '100', levels: 'absolute' });
      const found = [];
      for (let cursor = ''; ; ) {
        const { body } = await get(path, { ...query, levels: 'absolute', ...(cursor && { cursor }) });
        found.push(...body.points);
        if (body.next_cursor === null) break;
        cursor = body.next_cursor;
      }
      expect(found).toEqual(all.body.points);
      expect(found).toHaveLength(path === '/events/loud' ? 10 : 19);
    }
    const stored = await get('/events/list', { ...INTERVAL, threshold: '-7.3' });
    const { body } = await get('/events/list', { ...INTERVAL, threshold: '87.8', levels: 'absolute' });
    expect(body.threshold).toBe(87.8);
    expect(body.events.map(({ start }: { start: string }) => start)).toEqual(
      stored.body.events.map(({ start }: { start: string }) => start),
    );
    for (const path of ['/events/list', '/events/loud'])
      expect(await get(path, { ...INTERVAL, threshold: '-10', levels: 'absolute' })).toMatchObject({
        status: 400,
        body: { errors: [{ parameter: 'threshold', detail: 'must be a number of dB from 45.1 to 95.1' }] },
      });
    expect(await get('/events/loud', { ...INTERVAL, threshold: 'loud', levels: 'absolute' })).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'threshold', detail: 'must be a number of dB' }] },
    });
    const { body: first } = await get('/audio/range', { ...INTERVAL, limit: '3', levels: 'absolute' });
    expect(await get('/audio/range', { ...INTERVAL, cursor: first.next_cursor })).toMatchObject({
      status: 400,
    });
  });

  it('writes files with the scale in their names', async () => {
    await period(0, { weighting: 'A', reference_db: OFFSET, interval_ms: 1000 });
    const { headers, body } = await service.get(
      `/export/csv?${new URLSearchParams({ ...INTERVAL, levels: 'absolute' })}`,
    );
    expect(headers.get('content-disposition')).toContain('_dBA.csv"');
    const { body: stored } = await service.get(`/export/csv?${new URLSearchParams(INTERVAL)}`);
    const levelsOf = (csv: string) =>
      csv
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[1]);
    expect(levelsOf(body).slice(0, 4)).toEqual(['45.1', '52.2', '87.88', '95.099']);
    expect(levelsOf(body)).toHaveLength(levelsOf(stored).length);
    for (const format of ['csv-semicolon', 'ndjson']) {
      const query = new URLSearchParams({ ...INTERVAL, format, levels: 'absolute' });
      const file = await fetch(`${service.url}/api/v1/export/csv?${query}`);
      expect(await file.text()).toContain(format === 'ndjson' ? '87.88' : '87,88');
    }
  });

  it('is refused if the levels are not calibrated, or if the interval has two scales', async () => {
    const detail = async (path: string, query: Record<string, string>) => {
      const { status, body } = await get(path, { ...query, levels: 'absolute' });
      expect([path, status]).toEqual([path, 400]);
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0].parameter).toBe('levels');
      return body.errors[0].detail;
    };
    for (const [path, query = {}] of [...OPERATIONS, ['/export/csv', INTERVAL] as const])
      expect(await detail(path, query)).toMatch(/^must be `stored`: these levels are not calibrated/);
    await period(0, { weighting: 'A', reference_db: OFFSET, interval_ms: 1000 });
    await period(2, { weighting: 'A', reference_db: 80, interval_ms: 1000 });
    for (const [path, query = {}] of [...OPERATIONS, ['/export/csv', INTERVAL] as const]) {
      if (path === '/audio/latest') continue; // its newest points have one scale
      expect(await detail(path, query)).toMatch(/The first scale ends at 2026-02-01T02:00:00\.000000Z$/);
    }
    const { body } = await get('/audio/latest', { limit: '2', levels: 'absolute' });
    expect(body.points.map(({ rms_db }: { rms_db: number | null }) => rms_db)).toEqual([null, 72.78]);
    expect(await detail('/audio/latest', { limit: '100' })).toMatch(/two|different scales/);
    const { body: later } = await get('/audio/range', { from: at(2), to: at(9), levels: 'absolute' });
    expect(later.scale).toMatchObject({ levels: 'absolute', unit: 'dB(A)' });
  });
});

describeOnWire('levels=absolute of a calibrated station', (engine) => {
  const service = openForAll(() => startTestService(engine, { site: { calibrationOffsetDb: 120 } }));

  it('adds the calibration to levels without a reference', async () => {
    await service.sql(insertPoints([[at(1), -50, 440]]));
    const { body } = await service.get(
      `/stats/summary?${new URLSearchParams({ ...INTERVAL, levels: 'absolute' })}`,
    );
    expect([body.leq_db, body.scale.unit, body.scale.reference_db]).toEqual([70, 'dB', 0]);
    const { body: list } = await service.get('/stations?levels=absolute');
    expect(list.stations[0].scale.levels).toBe('absolute');
    expect(list.stations[0].level_db).toBe(70);
  });
});

describeOnWire('Maxima of windows longer than a twentieth of the time constant', (engine) => {
  const service = openForAll(() =>
    startTestService(engine, {
      site: { limits: [limitOf('00:00', '00:00', 65)] },
    }),
  );
  beforeEach(async () => {
    await service.sql('truncate audio_data');
    await service.sql('truncate audio_data_periods');
    // closer than ten of the shortest windows, so that they are no samples
    await service.sql(`insert into audio_data (time, rms_db) select '${at(1)}'::timestamptz + n * interval '50 ms', -10 - n / 20
      from generate_series(0, 599) n`);
  });
  const period = (settings: object) =>
    service.sql(`insert into audio_data_periods select *
      from json_populate_record(null::audio_data_periods, '${JSON.stringify({ since: at(0), weighting: 'A', reference_db: 100, ...settings })}')`);

  it.each([
    ['fast maxima of a second', { statistic: 'max', time_weighting: 'fast', interval_ms: 1000 }, true],
    ['fast maxima of 10 ms', { statistic: 'max', time_weighting: 'fast', interval_ms: 10 }, true],
    ['fast maxima of 6 ms', { statistic: 'max', time_weighting: 'fast', interval_ms: 6 }, false],
    ['slow maxima of 51 ms', { statistic: 'max', time_weighting: 'slow', interval_ms: 51 }, true],
    ['slow maxima of 50 ms', { statistic: 'max', time_weighting: 'slow', interval_ms: 50 }, false],
    ['maxima of an unknown kind', { statistic: 'max' }, true],
    ['means', { statistic: 'leq', interval_ms: 1000 }, false],
    ['samples', { statistic: 'sample', time_weighting: 'fast', interval_ms: 1000 }, false],
  ])('lack an energy mean: %s', async (_, settings, isUnavailable) => {
    await period(settings);
    const energies: unknown[] = [];
    const get = async (path: string, query: Record<string, string> = {}) => {
      const { body } = await service.get(`${path}?${new URLSearchParams({ ...INTERVAL, ...query })}`);
      expect(body.scale.energy_unavailable).toBe(isUnavailable);
      return body;
    };
    const summary = await get('/stats/summary');
    const [bucket] = (await get('/stats/series', { bucket: '1d' })).buckets;
    const days = await get('/stats/days');
    const limits = await get('/stats/limits', {
      event_threshold_db: '-40',
      event_min_duration_seconds: '0',
    });
    const [event] = (await get('/events/list', { threshold: '-40', min_duration_seconds: '0' })).events;
    energies.push(summary.leq_db, summary.leq_low_db, bucket.leq_db, event.leq_db, event.sel_db);
    energies.push(days.days[0].leq_db, days.days[0].lnight_db, days.overall.leq_db);
    for (const each of [...limits.parts, ...limits.limits])
      energies.push(each.leq_db, each.excess_db, each.minutes_over, each.minutes_undecided);
    expect(energies.every((energy) => (energy === null) === isUnavailable)).toBe(true);
    expect(limits.parts[0].state === null).toBe(isUnavailable);
    expect(limits.limits[0].parts_over === null).toBe(isUnavailable);
    expect([summary.max_db, summary.l50_db, event.peak_db, limits.parts[0].event_count]).toEqual([
      -10, -25, -10, 1,
    ]);
    if (isUnavailable) expect((await get('/stats/why')).parts).toEqual([]);
    const csv = await service.get(`/stats/days?${new URLSearchParams(INTERVAL)}`, {
      headers: { accept: 'text/csv' },
    });
    const [names = [], values = []] = csv.body.split('\n').map((line: string) => line.split(','));
    expect(values[names.indexOf('leq_db')] === '').toBe(isUnavailable);
  });
});

describeOnWire('The live stream with absolute levels', (engine) => {
  const service = openForAll(() => startTestService(engine, { clock: Date.now, livePollMs: 20 }));

  it('shifts each event by the scale of its points, and is refused without a scale', async () => {
    const now = () => new Date().toISOString();
    const store = (level: number) =>
      service.sql(`insert into audio_data (time, rms_db) values ('${now()}', ${level})`);
    const period = (reference: number) =>
      service.sql(
        `insert into audio_data_periods (since, weighting, reference_db) values ('${now()}', 'A', ${reference})`,
      );
    expect(await service.get('/audio/live?levels=absolute')).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'levels' }] },
    });
    await period(95.1);
    await store(-7.22);
    const seen: (number | null)[] = [];
    const subscription = service.client.audio.live.subscribe(
      { from: 'now-10s', levels: 'absolute' },
      { onData: ({ data }) => seen.push(...data.points.map(({ rms_db }) => rms_db)) },
    );
    const text = await fetch(`${service.url}/api/v1/audio/live?levels=absolute&from=now-10s`);
    const reader = text.body?.getReader();
    let read = '';
    const readUntil = async (part: string) => {
      while (!read.includes(part)) read += new TextDecoder().decode((await reader?.read())?.value);
    };
    await expect.poll(() => seen).toEqual([87.88]);
    await store(-50);
    await expect.poll(() => seen).toEqual([87.88, 45.1]);
    await period(80);
    await store(-10);
    await expect.poll(() => seen).toEqual([87.88, 45.1, 70]);
    await readUntil('"rms_db":70');
    expect(read).toContain('"rms_db":87.88');
    expect(read).toContain('"rms_db":45.1');
    subscription.unsubscribe();
    await reader?.cancel();
  });
});
