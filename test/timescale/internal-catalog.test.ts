// What the answers from rollups rely on, and TimescaleDB does not document.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { compile } from '../../src/db/compile.ts';
import { readState, unexpectedColumn, withState } from '../../src/timescale/internal-catalog.ts';
import { engines, type TestDatabase } from '../engines.ts';

describe.skipIf(!inject('timescale'))("TimescaleDB's catalog", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    const engine = engines.find(({ name }) => name === 'TimescaleDB');
    if (!engine) throw new Error('No TimescaleDB');
    test = await engine.open();
  });
  afterAll(() => test?.close());

  const state = compile(withState(sql`select where false`));
  const chunks = async () => readState((await test.db.query(state))[0]).chunks;
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
});
