import fc from 'fast-check';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { PERIOD_SECONDS } from '../../../src/operations/stats/summary/contract.ts';
import { describeOnWire, openForAll } from '../../engines.ts';
import { DBFS_SCALE } from '../../scales.ts';
import { insertPoints, startTestService } from '../../service.ts';

type Measured = { rms: number | null; frequency: number | null; silence: boolean };

/** The statistics by textbook formulas, computed in memory. */
function byTheBook(points: Measured[]) {
  const levels = points.flatMap(({ rms }) => (rms === null ? [] : [rms])).sort((a, b) => a - b);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  /** The smallest level that at least `share` of the levels do not exceed. */
  const percentile = (share: number) =>
    levels[Math.ceil(Number((share * levels.length).toFixed(9))) - 1] ?? null;
  const counts = new Map<number, number>();
  for (const { frequency } of points) if (frequency) counts.set(frequency, (counts.get(frequency) ?? 0) + 1);
  const [mode] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const some = levels.length > 0;
  return {
    point_count: points.length,
    avg_db: some ? mean(levels) : null,
    max_db: levels.at(-1) ?? null,
    min_db: levels[0] ?? null,
    leq_db: some ? 10 * Math.log10(mean(levels.map((level) => 10 ** (level / 10)))) : null,
    leq_low_db: levels.some((level) => level > -49.95)
      ? 10 * Math.log10(mean(levels.map((level) => 10 ** (level / 10) - (level > -49.95 ? 0 : 1e-5))))
      : null,
    l1_db: percentile(0.99),
    l5_db: percentile(0.95),
    l10_db: percentile(0.9),
    l50_db: percentile(0.5),
    l90_db: percentile(0.1),
    l95_db: percentile(0.05),
    l99_db: percentile(0.01),
    dominant_frequency_hz: mode?.[0] ?? null,
    silence_percent:
      points.length > 0 ? (100 * points.filter((p) => p.silence).length) / points.length : null,
  };
}

describeOnWire('stats.summary', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql('truncate audio_data'));

  const summary = async (query: string) => (await service.get(`/stats/summary${query}`)).body;

  it('answers an empty window with a count of 0 and nulls', async () => {
    expect(await summary('?period=10s&to=2026-01-01T00:00:10.5Z')).toEqual({
      period: '10s',
      from: '2026-01-01T00:00:00.500000Z',
      excluded_seconds: 0,
      to: '2026-01-01T00:00:10.500000Z',
      ...byTheBook([]),
      overload_percent: null,
      scale: DBFS_SCALE,
    });
  });

  it.each([-10.2, -23.456789, -0.001, -1e-5, -50, 0])(
    'gives no mean outside the levels if all levels are %d',
    async (level) => {
      await service.sql(`insert into audio_data (time, rms_db)
        select '2026-01-01Z'::timestamptz + n * interval '1 s', ${level} from generate_series(1, 7) n`);
      const interval = 'from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z';
      const [bucket] = (await service.get(`/stats/series?${interval}&bucket=1h`)).body.buckets;
      for (const { avg_db, leq_db, min_db, max_db } of [await summary('?to=2026-01-01T01:00:00Z'), bucket])
        expect({ avg_db, leq_db, min_db, max_db }).toEqual({
          avg_db: max_db,
          leq_db: max_db,
          min_db: max_db,
          max_db,
        });
    },
  );

  it('covers the last hour by default', async () => {
    expect(await summary('')).toMatchObject({
      period: '1h',
      from: '2026-03-01T11:00:00.500000Z',
      to: '2026-03-01T12:00:00.500000Z',
    });
  });

  it('covers [from, to) if `from` is given; `to` is now by default', async () => {
    await service.sql(
      insertPoints([
        ['2025-03-01T12:00:00.5Z', -20, 100],
        ['2026-03-01T12:00:00.499999Z', -10, 100],
        ['2026-03-01T12:00:00.5Z', -1, 100],
      ]),
    );
    expect(await summary('?from=now-365d')).toMatchObject({
      period: null,
      from: '2025-03-01T12:00:00.500000Z',
      to: '2026-03-01T12:00:00.500000Z',
      point_count: 2,
      l50_db: -20,
    });
    expect(await summary('?from=2025-03-01T12:00:00.500001Z&to=now-1s')).toMatchObject({ point_count: 0 });
  });

  it.each(Object.entries(PERIOD_SECONDS))('covers [to - %s, to)', async (period, seconds) => {
    const to = Date.parse('2026-03-31T00:00:00Z');
    const at = (ms: number) => new Date(ms).toISOString();
    await service.sql(
      insertPoints([
        [at(to - seconds * 1000 - 1), -1, 100],
        [at(to - seconds * 1000), -2, 200],
        [at(to - 1), -4, 200],
        [at(to), -8, 100],
      ]),
    );
    expect(await summary(`?period=${period}&to=2026-03-31T00:00:00Z`)).toMatchObject({
      point_count: 2,
      max_db: -2,
      min_db: -4,
      avg_db: -3,
      dominant_frequency_hz: 200,
    });
  });

  it('returns nulls for a window without any level or frequency', async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:00Z', null, null, true],
        ['2026-01-01T00:00:01Z', null, null],
      ]),
    );
    expect(await summary('?period=10s&to=2026-01-01T00:00:10Z')).toMatchObject({
      ...byTheBook([]),
      point_count: 2,
      silence_percent: 50,
    });
  });

  it('agrees with the formulas on any points', async () => {
    const point = fc.record({
      rms: fc.option(fc.integer({ min: -500, max: 0 }).map((tenths) => tenths / 10)),
      frequency: fc.option(fc.integer({ min: 100, max: 105 })),
      silence: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(point, { maxLength: 60 }), async (points) => {
        await service.sql('truncate audio_data');
        const start = Date.parse('2026-01-01T00:00:00Z');
        const rows = points.map(
          (p, n) => [new Date(start + n * 100).toISOString(), p.rms, p.frequency, p.silence] as const,
        );
        if (rows.length > 0) await service.sql(insertPoints(rows.map((row) => [...row])));
        const got = await summary('?period=10s&to=2026-01-01T00:00:10Z');
        const expected = byTheBook(points);
        for (const [name, value] of Object.entries(expected)) {
          // JavaScript has the shortest decimal of a real; the exact value differs in the ninth digit
          if (value === null || name.endsWith('_count') || name.endsWith('_hz'))
            expect([name, got[name]]).toEqual([name, value]);
          else expect(Math.abs(got[name] - value), name).toBeLessThan(3e-6);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('returns the same average for any order of the rows', async () => {
    const levels = Array.from({ length: 500 }, (_, n) => -0.1 - ((n * 7919) % 4990) / 100.3);
    const rows = levels.map(
      (level, n) => [`2026-01-01T00:00:0${n % 10}.${String(n).padStart(3, '0')}Z`, level, null] as const,
    );
    const averages = [];
    for (const ordered of [rows, rows.toReversed(), rows.toSorted((a, b) => a[1] - b[1])]) {
      await service.sql('truncate audio_data');
      await service.sql(insertPoints(ordered.map((row) => [...row])));
      averages.push((await summary('?period=1m&to=2026-01-01T00:00:30Z')).avg_db);
    }
    expect(new Set(averages).size).toBe(1);
    expect(averages[0]).toBe(
      levels.reduce((sum, level) => sum + Math.fround(level) * 2 ** 32, 0) / 2 ** 32 / 500,
    );
  });
});

describeOnWire('events.loud', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:00Z', -5, 100],
        ['2026-01-01T00:00:01Z', -10, 100],
        ['2026-01-01T00:00:02Z', -9.99, null, true],
        ['2026-01-01T00:00:03Z', null, null],
        ['2026-01-01T00:00:04Z', -10.2, 100],
        ['2026-01-01T00:00:05Z', 0, 100],
      ]),
    );
  });

  const levels = async (query: string) =>
    (await service.get(`/events/loud${query}`)).body.points.map((point: { rms_db: number }) => point.rms_db);

  it('returns points strictly above the threshold, newest first', async () => {
    expect((await service.get('/events/loud')).body).toEqual({
      threshold: -10,
      from: null,
      to: null,
      points: [
        { time: '2026-01-01T00:00:05.000000Z', rms_db: 0, frequency_hz: 100, is_silence: false },
        { time: '2026-01-01T00:00:02.000000Z', rms_db: -9.99, frequency_hz: null, is_silence: true },
        { time: '2026-01-01T00:00:00.000000Z', rms_db: -5, frequency_hz: 100, is_silence: false },
      ],
      next_cursor: null,
    });
    expect(await levels('?threshold=-10.2')).toEqual([0, -9.99, -10, -5]);
    expect(await levels('?threshold=-50')).toEqual([0, -10.2, -9.99, -10, -5]);
    expect(await levels('?threshold=0')).toEqual([]);
    expect(await levels('?threshold=-0.5')).toEqual([0]);
    expect(await levels(`?threshold=-0.${'0'.repeat(50)}1`)).toEqual([]); // too close to 0 for a real, so it becomes 0
  });

  it('accepts `from` and `to`, together or alone', async () => {
    expect(await levels('?from=2026-01-01T00:00:02Z')).toEqual([0, -9.99]);
    expect(await levels('?to=2026-01-01T00:00:02Z')).toEqual([-5]);
    expect(await levels('?from=2026-01-01T00:00:01Z&to=2026-01-01T00:00:05Z')).toEqual([-9.99]);
    expect((await service.get('/events/loud?from=2026-01-01T00:00:02Z')).body).toMatchObject({
      from: '2026-01-01T00:00:02.000000Z',
      to: null,
    });
  });

  it('continues after a page that had no interval', async () => {
    const first = (await service.get('/events/loud?limit=2')).body;
    expect(first.points).toHaveLength(2);
    const second = (await service.get(`/events/loud?limit=2&cursor=${first.next_cursor}`)).body;
    expect(second.points.map((point: { rms_db: number }) => point.rms_db)).toEqual([-5]);
    expect(second.next_cursor).toBeNull();
    expect((await service.get(`/events/loud?threshold=-11&cursor=${first.next_cursor}`)).status).toBe(400);
    expect((await service.get(`/events/loud?from=now-1h&cursor=${first.next_cursor}`)).status).toBe(400);
  });
});
