import { beforeAll, expect, it } from 'vitest';
import type { Statement, Values } from '../../src/database/database.ts';
import { createHistogramCache, type StoredBucket, type Versions } from '../../src/rollups/histogram-cache.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { Outdated } from '../../src/rollups/rollup-state.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { DENSE_DAYS } from '../operations/changing-points.ts';

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
      text: `select extract(epoch from bucket)::float8 as start, counted_at from "@station".audio_data_histograms
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
      query: <Row>(statement: Statement<Row>, values?: Values) => {
        requested.push(String(Object.values(values ?? {})[1]).split(',').length);
        return test.db.query(statement, values);
      },
    };
    const all = async (some: Versions) => {
      const found: StoredBucket[] = [];
      for await (const buckets of stored(db, some).buckets()) found.push(...buckets);
      return found;
    };
    return { requested, read: all, sum: (some: Versions) => stored(db, some).sum() };
  }

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
});
