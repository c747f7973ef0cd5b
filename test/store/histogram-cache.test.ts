import { beforeAll, describe, expect, it } from 'vitest';
import type { Histogram } from '../../src/statistics/histogram.ts';
import { countsFrom } from '../../src/store/counted-points.ts';
import { createHistogramCache, type Versions } from '../../src/store/histogram-cache.ts';
import { refreshRollups } from '../../src/store/refresh-rollups.ts';
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
    return { '30m': found.map(({ start, counted_at }) => [start, counted_at]) };
  }
  const itself = (start: number) => start;
  /** Histograms that tell how many buckets each statement was asked for. */
  function noted() {
    const asked: number[] = [];
    const db: typeof test.db = {
      ...test.db,
      query(statement, values, signal) {
        asked.push(String(Object.values(values ?? {})[0]).split(',').length);
        return test.db.query(statement, values, signal);
      },
    };
    return { asked, histograms: createHistogramCache(db) };
  }
  const filled = (counts: Histogram['levels']) =>
    [...counts].flatMap((count, place) => (count > 0 ? [[place, count]] : []));

  it('count each level and each frequency, and no null', async () => {
    const [first, second] = (await createHistogramCache(test.db).read(await versions(), itself)) ?? [];
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

  it('add up by groups', async () => {
    const { histograms } = noted();
    const [all, ...others] = (await histograms.read(await versions(), () => 7)) ?? [];
    expect(others).toEqual([]);
    expect(all).toMatchObject({ group: 7, point_count: 5, level_count: 3, level_sum: expect.anything() });
    expect(filled(all?.frequencies ?? new Uint32Array())).toEqual([
      [1, 1],
      [7901, 2],
    ]);
  });

  it('are read once, and again when they were counted again', async () => {
    const { asked, histograms } = noted();
    const known = await versions();
    await histograms.read({ '30m': known['30m']?.slice(1) ?? [] }, itself);
    await histograms.read(known, itself);
    await histograms.read(known, itself);
    expect(asked).toEqual([1, 1]);
    await refresh();
    expect(await histograms.read(known, itself)).toHaveLength(2); // what they were when they were read
    expect(asked).toEqual([1, 1]);
    const counted = await versions();
    expect(counted).not.toEqual(known);
    expect(await histograms.read(counted, itself)).toHaveLength(2);
    expect(asked).toEqual([1, 1, 1, 1]);
  });

  it('are not to be had any more where they were counted again before they were read', async () => {
    const known = await versions();
    await refresh();
    expect(await createHistogramCache(test.db).read(known, itself)).toBeUndefined();
  });

  it('give the same sum to the last digit, whatever was read before', async () => {
    await test.sql(`
      insert into audio_data
      select '2026-01-06Z'::timestamptz + n * interval '11 min', -50 * random(), 100 + n % 7, false
      from generate_series(0, 900) n`);
    await refreshRollups(test.sql, 100_000);
    const known = await versions();
    const all = known['30m'] ?? [];
    expect(all.length).toBeGreaterThan(250); // more than are read at once
    const fresh = await createHistogramCache(test.db).read(known, () => 0);
    const { histograms } = noted();
    await histograms.read({ '30m': all.slice(120, 190) }, () => 0);
    expect(await histograms.read(known, () => 0)).toEqual(fresh);
    expect(fresh?.[0]?.point_count).toBe(906);
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
