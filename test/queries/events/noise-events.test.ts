import { beforeEach, expect, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../src/contract/instant.ts';
import type { Criteria } from '../../../src/queries/events/event-criteria.ts';
import { type NoiseEventsQuery, noiseEvents } from '../../../src/queries/events/noise-events.ts';
import {
  SEARCH_LIMITS,
  type SearchLimits,
  TooManyPoints,
} from '../../../src/queries/events/search-runs-back.ts';
import { spacing } from '../../../src/queries/points/spacing.ts';
import {
  describeEachLayout,
  describeOnWire,
  describeServer,
  type Engine,
  engines,
  openForAll,
} from '../../engines.ts';
import { compareWithDefinition, micros, type Sample, searches } from './definition.ts';

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

  it('computes a Leq of -10 dB and a SEL of 0 dB for 10 s of a constant -10 dB', async () => {
    await store(every(0.1, 100, -10));
    expect(await find()).toEqual([
      {
        start: time(0),
        end: time(10),
        duration_seconds: 10,
        peak_db: -10,
        peak_at: time(0),
        leq_db: expect.closeTo(-10, 9),
        leq_low_db: expect.closeTo(-10, 9),
        sel_db: expect.closeTo(0, 9),
        point_count: 100,
        dominant_frequency_hz: null,
        under_range: 0,
        over_range: 0,
        threshold: -20,
        background_db: null,
        background_at_floor: false,
        sel_complete: true,
        truncated_start: false,
        truncated_end: false,
        open: false,
      },
    ]);
  });

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

  it('ends an event at the next one, if that starts within the spacing', async () => {
    await store([at(0, -10), at(20, -5), ...every(60, 20, -40, 80)]);
    const search = { interval: { from: time(-60), to: time(60) }, limit: 1, now: time(60) };
    const criteria = { ...DEFAULTS, hold_seconds: 0, spacing_seconds: 60 };
    const first = { start: time(0), end: time(20), point_count: 1, peak_db: -10 };
    const second = { start: time(20), end: time(80), point_count: 1, peak_db: -5 };
    expect(await find(criteria, search)).toMatchObject([second, first]);
    expect(await find({ ...criteria, min_duration_seconds: 21 }, search)).toMatchObject([second]);
    expect(await find(criteria, { ...search, interval: { from: time(0), to: time(20) } })).toMatchObject([
      first,
    ]);
    expect(await ranked({ ...search, criteria }, 'level')).toMatchObject([second, first]);
  });

  it.each([0.3, 1, 1.2, 86_400])(
    'joins two parts across a dip within the hold, looking %s s back',
    async (slab) => {
      await store([...every(0.1, 10, -10), ...every(0.1, 9, -40, 1), at(1.9, -10), at(2, -40)]);
      const leq = 10 * Math.log10((11 * 0.1 + 9 * 1e-4) / 20);
      const interval = { from: null, to: time(2.05) }; // at the start of slabs
      // the point at 1.9 is exactly a second after the point at 0.9
      expect(await find({}, { interval }, { firstSlabSeconds: slab })).toMatchObject([
        { start: time(0), end: time(2), point_count: 20, leq_db: expect.closeTo(leq, 5) },
      ]);
      expect(await find({ hold_seconds: 0.999999 }, { interval }, { firstSlabSeconds: slab })).toMatchObject([
        { start: time(1.9), end: time(2) },
        { start: time(0), end: time(1) },
      ]);
    },
  );

  it('continues above threshold - hysteresis, and starts above the threshold', async () => {
    const levels = [-40, -22.9, -20, -19.9, -22.9, -23, -40];
    await store(levels.map((level, n) => at(n, level)));
    const found = await find({ hysteresis: 3, spacing_seconds: 1 });
    expect(found).toMatchObject([{ start: time(3), end: time(5), peak_db: -19.9, sel_complete: false }]);
    expect(await find({ threshold: -19.9, hysteresis: 3, spacing_seconds: 1 })).toEqual([]);
  });

  it('reports to the microsecond where the interval cuts an event', async () => {
    await store([at(0, -10), at(1, -10), at(2, -10), at(3.000001, -10)]);
    const cut = async (from: number, to: number) =>
      (await find({}, { interval: { from: time(from), to: time(to) } })).map((event) => [
        event.start,
        event.truncated_start,
        event.truncated_end,
      ]);
    expect(await cut(0, 2.000001)).toEqual([[time(0), false, false]]);
    expect(await cut(0, 2)).toEqual([[time(0), false, true]]);
    expect(await cut(1, 3)).toEqual([[time(1), true, false]]);
    expect(await cut(3, 4)).toEqual([[time(3.000001), false, false]]);
    expect(await cut(0.5, 1.5)).toEqual([[time(1), true, true]]);
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

  it('is open until a point follows or the hold has passed', async () => {
    await store([at(0, -10), at(0.1, -10)]);
    const open = async (now: number) => (await find({}, { now: time(now) })).map((event) => event.open);
    expect([await open(0.2), await open(1.1), await open(1.100001)]).toEqual([[true], [true], [false]]);
    await store([at(0.2, null)]);
    expect(await open(0.3)).toEqual([false]);
  });

  it('reports the background, and whether it lies on the floor', async () => {
    const quiet = (level: number, from: number) => every(10, 100, level, from);
    await store([...quiet(-42.9, -1800), at(0, -10), ...quiet(-50, 1800), at(3600, -10), at(7200, -10)]);
    const found = await find({}, { now: time(9000) });
    expect(found.map((event) => [event.background_db, event.background_at_floor])).toEqual([
      [null, false],
      [-50, true],
      [-42.9, false],
    ]);
    const adaptive = await find({ threshold: null, above_background: 12.3 }, { now: time(9000) });
    expect(adaptive.map(({ start, threshold }) => [start, threshold])).toEqual([
      [time(3600), -37.7],
      [time(0), -30.6],
    ]);
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

  it('sums an event of hours like a short one', async () => {
    await store([...every(10, 1000, -10), at(3000, -2, 440), at(10_000, -40)]);
    const [event] = await find({ hold_seconds: 10 }, { now: time(20_000) });
    expect(event).toMatchObject({
      duration_seconds: 10_000,
      point_count: 1001,
      peak_db: -2,
      peak_at: time(3000),
      dominant_frequency_hz: 440,
      leq_db: expect.closeTo(10 * Math.log10((100 + 10 ** -0.2) / 1001), 5),
    });
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
