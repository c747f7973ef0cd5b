import { beforeEach, expect, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../../src/contract/instant.ts';
import type { Criteria } from '../../../../src/operations/events/event-criteria.ts';
import { type NoiseEventsQuery, noiseEvents } from '../../../../src/operations/events/list/query.ts';
import {
  SEARCH_LIMITS,
  type SearchLimits,
  TooManyPoints,
} from '../../../../src/operations/events/search-runs-back.ts';
import { spacing } from '../../../../src/points/point-times.ts';
import { refreshRollups } from '../../../../src/rollups/refresh-rollups.ts';
import {
  describeEachLayout,
  describeOnWire,
  describeServer,
  type Engine,
  engines,
  openForAll,
} from '../../../engines.ts';
import { compareWithDefinition, micros, type Sample, searches } from '../definition.ts';

describeEachLayout('noiseEvents equals the definition, whatever the slabs and the pages', (engine) => {
  const database = openForAll(() => engine.open());
  compareWithDefinition(engine, database, 8, 1 + engines.indexOf(engine));
});

describeOnWire('noiseEvents by hand', byHand);
describeServer('timescale', 'noiseEvents by hand', byHand);

function byHand(engine: Engine) {
  const database = openForAll(() => engine.open());
  const { store, follow, ranked } = searches(database);
  beforeEach(() => database.sql('truncate audio_data; truncate audio_data_periods'));
  const NOON = microsOf('2026-01-01T12:00:00.000000Z');
  const time = (seconds: number) => instantOfMicros(NOON + micros(seconds));
  const at = (seconds: number, level: number | null, frequency: number | null = null): Sample => ({
    at: NOON + micros(seconds),
    level,
    frequency,
  });
  const every = (step: number, count: number, level: number, from = 0) =>
    Array.from({ length: count }, (_, n) => at(from + n * step, level));
  const DEFAULTS: Criteria = {
    threshold: -20,
    above_background: null,
    hysteresis: 0,
    hold_seconds: 1,
    min_duration_seconds: 0,
    spacing_seconds: 0.1,
  };
  const find = (
    criteria: Partial<Criteria> = {},
    rest: Partial<NoiseEventsQuery> = {},
    limits: Partial<SearchLimits> = {},
  ) =>
    follow(
      {
        interval: { from: null, to: null },
        criteria: { ...DEFAULTS, ...criteria },
        limit: 100,
        now: time(3600),
        ...rest,
      },
      limits,
    );

  it('keeps an event whole after the recorder was set to another spacing, page by page', async () => {
    const loud = (from: number, until: number) => (sample: Sample) =>
      sample.at >= NOON + micros(from) && sample.at < NOON + micros(until)
        ? { ...sample, level: -10 }
        : sample;
    await store([
      ...every(2, 600, -40).map(loud(600, 660)),
      ...every(0.1, 3000, -40, 1300).map(loud(1400, 1405)),
      ...every(2, 60, -40, 1700).map(loud(1780, 1820)),
    ]);
    await database.sql(`insert into audio_data_periods (since, interval_ms)
      values ('${time(0)}', 2000), ('${time(1300)}', 100), ('${time(1700)}', null)`);
    for (const limit of [1, 2, 100]) {
      const found = await find({ hold_seconds: null, spacing_seconds: 2 }, { limit });
      expect(found).toMatchObject([
        { start: time(1780), end: time(1820), duration_seconds: 40, point_count: 20 },
        { start: time(1400), end: time(1405), duration_seconds: 5, point_count: 50 },
        { start: time(600), end: time(660), duration_seconds: 60, sel_db: expect.closeTo(7.78151, 4) },
      ]);
    }
  });

  it('finds the peak of a long event in a minute that its start or its end cuts', async () => {
    const louder = [at(0, -5), at(4770, -5)]; // in the same minutes, but beyond the hold
    await store([...louder, at(45, -10), ...every(1, 4665, -15, 46)]); // a day of fewer points has no rollups
    await refreshRollups(database.sql, 100_000);
    const criteria = { hold_seconds: 30 };
    const now = time(7200);
    const [, first] = await find(criteria, { now });
    expect(first).toMatchObject({ start: time(45), peak_db: -10, peak_at: time(45) });
    await database.sql(`update audio_data set rms_db = -9 where time = '${time(4710)}'`);
    await refreshRollups(database.sql, 100_000);
    expect((await find(criteria, { now }))[1]).toMatchObject({ peak_db: -9, peak_at: time(4710) });
    await database.sql(`update audio_data set rms_db = -5 where time = '${time(2000)}'`);
    await refreshRollups(database.sql, 100_000);
    expect((await find(criteria, { now }))[1]).toMatchObject({ peak_db: -5, peak_at: time(2000) });
  });

  it.each([1e-6, 0.1])('looks back in few statements, with a spacing of %s s', async (spacing_seconds) => {
    const days = every(1800, 30 * 48, -40, -30 * 86_400);
    await store([...days, ...every(1e-6, 50, -40, 1)]);
    let statements = 0;
    const query: typeof database.db.query = (...args) => {
      statements++;
      return database.db.query(...args);
    };
    const criteria = { ...DEFAULTS, threshold: null, above_background: 60, spacing_seconds };
    const search = { interval: { from: null, to: null }, criteria, limit: 100, now: time(3600) };
    const page = await noiseEvents({ ...database, db: { ...database.db, query } }, search);
    expect(page).toEqual({ events: [], next: null });
    expect(statements).toBeLessThan(60);
  });

  it('ranks by a peak in the half hour after the start, even below its higher threshold', async () => {
    const later = [at(2000, -6), ...every(10, 10, -50, 2010)];
    await store([at(-60, -50), at(1700, -25), ...later, at(3610, -25), at(8000, -50), at(10_000, -20)]);
    const criteria = { ...DEFAULTS, threshold: null, above_background: 20, hold_seconds: 3600 };
    const interval = { from: time(0), to: time(20_000) };
    expect(await ranked({ interval, criteria, limit: 1, now: time(20_000) }, 'level')).toMatchObject([
      { start: time(1700), peak_db: -6, peak_at: time(2000) },
      { start: time(10_000), peak_db: -20 },
    ]);
  });

  it('finds events years apart, in the year 0001 and in the future, page by page', async () => {
    const years = [
      '0001-01-01T00:00:00.000000Z',
      '1970-01-01T00:00:00.000000Z',
      '9999-12-31T23:59:59.999999Z',
    ];
    await store(years.map((year) => ({ at: microsOf(year), level: -1, frequency: null })));
    for (const criteria of [{}, { hold_seconds: 3600 }])
      expect((await find(criteria, { limit: 1 })).map(({ start }) => start)).toEqual(years.toReversed());
    expect(await find({ threshold: null, above_background: 3 })).toEqual([]);
    const all = { from: years[0] ?? '', to: years[2] ?? '' };
    expect((await find({}, { interval: all })).map(({ start }) => start)).toEqual([years[1], years[0]]);
  });

  it('refuses to read more points for one page than the limit', async () => {
    await store(every(0.1, 101, -10));
    const few = { mostPoints: 100 };
    await expect(find({}, {}, few)).rejects.toThrow(TooManyPoints);
    const interval = { from: time(0.1), to: null };
    const found = await find({}, { interval }, few);
    expect(found).toMatchObject([{ point_count: 100, truncated_start: true }]);
    await store(every(100, 3, -10, 1000));
    await expect(find({}, {}, few)).rejects.toThrow(TooManyPoints);
    const page = await noiseEvents(
      database,
      { interval: { from: null, to: null }, criteria: DEFAULTS, limit: 2, now: time(3600) },
      { ...SEARCH_LIMITS, ...few },
    );
    expect([page.events.length, page.next]).toEqual([2, time(1100)]);
    const criteria = { hold_seconds: 0.05 };
    const steps = { ...SEARCH_LIMITS, ...few, firstPoints: 10 };
    const search = { interval: { from: null, to: time(11) }, criteria: { ...DEFAULTS, ...criteria } };
    const last = await noiseEvents(database, { ...search, limit: 1, now: time(3600) }, steps);
    expect([last.events.length, last.next]).toEqual([1, time(10)]); // 101 points are above
  });

  it('takes the spacing from the recorder, or measures it among the last 1,001 points, without equal times', async () => {
    const spacingAt = (before: number | null) =>
      spacing(database, before === null ? null : time(before), time(2000));
    expect(await spacingAt(null)).toBeNull();
    await store([at(0, -10), at(0, null)]);
    expect(await spacingAt(null)).toBeNull();
    await store([at(7.000001, null), at(9, null)]);
    expect([await spacingAt(null), await spacingAt(9)]).toEqual([4.5, 7.000001]);
    await store([...every(0.1, 1001, -10, 100), at(5000, -10)]);
    expect([await spacingAt(null), await spacingAt(6000)]).toEqual([0.1, 0.1]);
    await database.sql(`insert into audio_data_periods (since, interval_ms)
      values ('${time(9)}', 2000), ('${time(5000)}', null), ('${time(5500)}', 125)`);
    const before = [9, 10, 5000, 5500, 6000];
    expect(await Promise.all(before.map(spacingAt))).toEqual([7.000001, 2, 2, 0.1, 0.125]);
  });
}
