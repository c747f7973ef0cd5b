import { beforeAll, describe, expect, it } from 'vitest';
import { countsFrom, type Histogram } from '../../src/statistics/histogram.ts';
import { createHistogramCache, type StoredBucket, type Versions } from '../../src/store/histogram-cache.ts';
import { refreshRollups } from '../../src/store/refresh-rollups.ts';
import { Outdated } from '../../src/store/rollup-state.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { DENSE_DAYS } from '../queries/changing-points.ts';

describeOnWire('The histograms', (engine) => {
  const test = openForAll(() => engine.open());
  beforeAll(async () => {
    await test.sql(`
      insert into audio_data values
        ('2026-01-05 00:00Z', -50, 100, true), ('2026-01-05 00:10Z', 0, 8000, false),
        ('2026-01-05 00:20Z', -10.25, null, false), ('2026-01-05 00:20Z', null, 8000, false),
        ('2026-01-05 00:30Z', null, null, false)`);
    await refresh();
  });

  const refresh = async () => {
    await test.sql(DENSE_DAYS);
    await test.sql('update audio_data set is_silence = is_silence');
    await refreshRollups(test.sql, 100_000);
  };
  async function versions(): Promise<Versions> {
    const found = await test.db.query<{ start: number; counted_at: number }>({
      text: `select extract(epoch from bucket)::float8 as start, counted_at from audio_data_histograms
        where seconds = 1800 order by 1`,
      parameters: [],
    });
    return found.map(({ start, counted_at }) => [1800, start, counted_at]);
  }
  /** Reads histograms, and records how many each statement requested. */
  function noted() {
    const requested: number[] = [];
    const stored = createHistogramCache();
    const db = {
      query: (...[statement, values, signal]: Parameters<typeof test.db.query>) => {
        requested.push(String(Object.values(values ?? {})[1]).split(',').length);
        return test.db.query<never>(statement, values, signal);
      },
    };
    const all = async (some: Versions) => {
      const found: StoredBucket[] = [];
      for await (const buckets of stored(db, some).buckets()) found.push(...buckets);
      return found;
    };
    return { requested, read: all, sum: (some: Versions) => stored(db, some).sum() };
  }
  const filled = (counts: Histogram['levels']) =>
    [...counts].flatMap((count, index) => (count > 0 ? [[index, count]] : []));

  it('count each level and each frequency, but not null', async () => {
    const [first, second] = await noted().read(await versions());
    expect(first).toMatchObject({ point_count: 4, level_count: 3, min_db: -50, max_db: 0, silence_count: 1 });
    expect(filled(first?.levels ?? new Uint32Array())).toEqual([
      [1, 1],
      [399, 1], // -10.25 rounds to the even tenth, as every level does
      [501, 1],
    ]);
    expect(filled(first?.frequencies ?? new Uint32Array())).toEqual([
      [1, 1],
      [7901, 2],
    ]);
    expect(second).toMatchObject({ point_count: 1, level_count: 0, min_db: null });
    expect(filled(second?.levels ?? new Uint32Array())).toEqual([]);
  });

  it('are read once, and again after a recount', async () => {
    const { requested, read, sum } = noted();
    const known = await versions();
    await read(known.slice(1));
    await read(known);
    for (const _ of [1, 2]) expect(await sum(known)).toMatchObject({ point_count: 5, level_count: 3 });
    expect(requested).toEqual([1, 1]);
    await refresh();
    expect(await read(known)).toHaveLength(2); // as they were when they were read
    expect(requested).toEqual([1, 1]);
    const counted = await versions();
    expect(counted).not.toEqual(known);
    expect(await read(counted)).toHaveLength(2);
    expect(requested).toEqual([1, 1, 2]);
  });

  it('are no longer available if they were recounted before they were read', async () => {
    const known = await versions();
    await refresh();
    await expect(noted().read(known)).rejects.toThrow(Outdated);
  });

  it('are read in order, in batches', async () => {
    await test.sql(`
      insert into audio_data
      select '2026-01-06Z'::timestamptz + n * interval '11 min', -50 * random(), 100 + n % 7, false
      from generate_series(0, 1200) n`);
    await refreshRollups(test.sql, 100_000);
    const { requested, read } = noted();
    const known = await versions();
    expect(known.length).toBe(443);
    const starts = known.map(([, start]) => start);
    for (const _ of [1, 2]) expect((await read(known)).map(({ start }) => start)).toEqual(starts);
    expect(requested).toEqual([200, 200, 43]);
  });
});

describe('countsOf', () => {
  it.each([
    ['{0,12,3}', [0, 12, 3]],
    ['{4294967295}', [4294967295]],
    [null, []],
  ])('reads %s', (text, counts) => {
    expect([...countsFrom(0, text)]).toEqual(counts);
  });
});
