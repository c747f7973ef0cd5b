// What the answers from rollups rely on, and TimescaleDB does not document.
import { describe, expect, it } from 'vitest';
import { freshRanges, rollupState } from '../../src/store/rollup-state.ts';
import { unexpectedColumn } from '../../src/timescale/internal-catalog.ts';
import { describeServer, openForAll } from '../engines.ts';

describeServer('timescale', "TimescaleDB's catalog", (engine) => {
  const test = openForAll(() => engine.open());

  const chunks = async () => (await rollupState(test.db, false)).chunks;
  const points = (rows: number) => `insert into audio_data
    select '2026-01-05Z'::timestamptz + n * interval '1 min', -20, 440, false from generate_series(1, ${rows}) n`;
  const all = (work: string) => `select ${work} from show_chunks('audio_data') c`;

  it('has the columns that are read', async () => {
    expect(await unexpectedColumn(test.db)).toBeUndefined();
  });

  it('changes the row of a chunk with every conversion, and with nothing else', async () => {
    const conversions: [string, changes: boolean][] = [
      [points(100), true], // a new chunk
      [points(10), false],
      [all('compress_chunk(c)'), true],
      ['delete from audio_data where rms_db = -1', false], // there are none
      [points(5), true], // some rows beside the columns
      [points(5), false],
      [all('compress_chunk(c)'), true],
      ["update audio_data set rms_db = -30 where time = '2026-01-05 00:07Z'", true],
      [all('compress_chunk(c, recompress => true)'), true],
      ["delete from audio_data where time = '2026-01-05 00:09Z'", true],
      [all('decompress_chunk(c)'), true],
      [all('compress_chunk(c)'), true],
      [all('compress_chunk(c, recompress => true)'), true],
      [all('decompress_chunk(c)'), true],
      ["select drop_chunks('audio_data', older_than => '2026-02-01Z'::timestamptz)", true],
    ];
    for (const [work, changes] of conversions) {
      const before = await chunks();
      await test.sql(work);
      expect([work, (await chunks()) !== before]).toEqual([work, changes]);
    }
  });

  it('tells of each rollup what is stored and has not changed since', async () => {
    const day = Date.parse('2026-01-05T00:00:00Z') * 1000;
    const fresh = async (name: string) =>
      freshRanges(await rollupState(test.db, true), name).map(({ from, to }) => [
        (Number(from) - day) / 60e6,
        (Number(to) - day) / 60e6,
      ]);
    const [total, histogram] = ['audio_data_total_30m', 'audio_data_histogram_30m'];
    await test.sql(points(100));
    for (const name of [total, histogram]) await test.sql(`select remove_retention_policy('${name}')`); // it is long ago
    expect(await fresh(total)).toEqual([]);
    const window = `'2026-01-05Z', '2026-01-05 02:00Z'`;
    await test.sql(`call refresh_continuous_aggregate('${total}', ${window})`);
    expect(await fresh(total)).toEqual([[0, 120]]);
    expect(await fresh(histogram)).toEqual([]);
    await test.sql(`call refresh_continuous_aggregate('${histogram}', ${window})`);
    expect(await fresh(histogram)).toEqual([[0, 120]]);
    await test.sql(`update audio_data set rms_db = -30 where time = '2026-01-05 00:47Z'`);
    for (const name of [total, histogram])
      expect(await fresh(name)).toEqual([
        [0, 47],
        [47 + 1 / 60e6, 120],
      ]);
    expect((await rollupState(test.db, false)).fresh).toBeNull();
    await test.sql(`select add_retention_policy('${histogram}', interval '35 days')`);
    expect(await fresh(histogram)).toEqual([]);
  });
});

describe('freshRanges', () => {
  const state = (ranges: string) => ({ fresh: { one: ranges }, chunks: null });

  it('gives the ranges of a rollup in order', () => {
    expect(freshRanges(state('{[1,5),[7,20)}'), 'one')).toEqual([
      { from: 1n, to: 5n },
      { from: 7n, to: 20n },
    ]);
  });

  it('reads ranges without an end, and none', () => {
    expect(freshRanges(state('{(,-5),[3,)}'), 'one')).toEqual([
      { from: -(2n ** 63n), to: -5n },
      { from: 3n, to: 2n ** 63n - 1n },
    ]);
    expect(freshRanges(state('{}'), 'one')).toEqual([]);
    expect(freshRanges(state('{[1,5)}'), 'another')).toEqual([]);
    expect(freshRanges({ fresh: null, chunks: null }, 'one')).toEqual([]);
  });
});
