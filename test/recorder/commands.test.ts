import { afterEach, describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { CSV_TYPE } from '../../src/contract/media-types.ts';
import { exportPoints } from '../../src/queries/points/export-points.ts';
import { fillPast } from '../../src/recorder/demo/demo-feed.ts';
import { INTERVAL_MS } from '../../src/recorder/demo/demo-points.ts';
import { describeEachEngine, type Engine, engines, openForAll } from '../engines.ts';
import { createRun, file, importCsv, messageOf, NOW, record } from './run.ts';
import { encode, wav } from './sound.ts';

const ALL = { from: '0001-01-01T00:00:00.000000Z', to: '9999-12-31T23:59:59.999999Z' };

/** A database for the tests of a block, emptied after each. */
function openTable(engine: Engine | undefined) {
  if (!engine) throw new Error('There is no such engine');
  const test = openForAll(() => engine.open());
  afterEach(() => test.sql('truncate audio_data'));
  return {
    test,
    count: async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n,
    async exported(): Promise<string> {
      let text = '';
      for await (const { bytes } of exportPoints(test.db, ALL, { type: CSV_TYPE, offset_db: 0 }))
        text += bytes;
      return text;
    },
  };
}

describeEachEngine('The commands of the recorder', (engine) => {
  const { test, count, exported } = openTable(engine);
  const io = () => ({ ...createRun().io, openDatabase: async () => ({ ...test.db, close: async () => {} }) });

  it('produce the same bytes by export, import, export', async () => {
    await test.sql(`insert into audio_data select timestamptz '2026-01-01' + i * interval '1.000001 s',
      case when i % 7 = 0 then null else -(random() * 50)::real end,
      case when i % 5 = 0 then null else 100 + (random() * 7900)::int end, i % 3 = 0
      from generate_series(1, 8000) i`);
    await test.sql(`insert into audio_data values ('2026-01-02', -0.00001, 100, false), ('2026-01-02', '-0', 8000, true),
      ('2026-01-02', -1e-30, null, true), ('2026-01-02', -49.999996, 440, false), ('2026-01-02', -49.999996, 440, false),
      ('0001-01-01T00:00:00Z', -50, null, true)`);
    const before = await exported();
    await test.sql('truncate audio_data');
    await importCsv([file(before)], io());
    expect(await count()).toBe(8006);
    expect((await exported()) === before).toBe(true);
  });

  it('store nothing of a recording that is corrupt at its end', async () => {
    const sound = encode('f32', [(t) => (t > 19.9 ? Number.NaN : 0.1)], 8000, 8000 * 20);
    const path = file(wav(sound, { encoding: 'f32' }));
    const failed = record([path, '--start', '2026-01-01T00:00:00Z'], io());
    expect(await messageOf(failed)).toContain('not a finite number');
    expect(await count()).toBe(0);
  });
});

// the demo has no other database
describe('The commands of the recorder of the demo', () => {
  const { test, count, exported } = openTable(engines.find(({ name }) => name === 'PGlite'));

  const TEN_MINUTES = 600_000;
  const ALL_OF_THEM = TEN_MINUTES / INTERVAL_MS;
  const fill = (start: string, say?: (line: string) => void) => fillPast(test.db, start, say, TEN_MINUTES);
  /** The shortest and the longest time between neighbours. */
  const spacing = async () =>
    (
      await test.sql(`select extract(epoch from min(step))::float8 * 1000 as least,
          extract(epoch from max(step))::float8 * 1000 as most
          from (select time - lag(time) over (order by time) as step from audio_data) as steps`)
    )[0];

  it('fill an empty table up to now, once, and report it', async () => {
    const lines: string[] = [];
    expect(await fill('2026-05-05T12:00:00.700000Z', (line) => lines.push(line))).toBe(ALL_OF_THEM);
    expect(await fill('2026-05-05T12:00:00.700000Z', (line) => lines.push(line))).toBe(0);
    expect(await count()).toBe(ALL_OF_THEM);
    expect(lines.filter((line) => !line.startsWith('Filling in: '))).toEqual([
      `Filling in the past 33 hours: ${ALL_OF_THEM.toLocaleString('en')} points are missing after 2026-05-05T11:50:00.000000Z`,
    ]);
    const [, first, ...rows] = (await exported()).trimEnd().split('\n');
    expect(first?.slice(0, 27)).toBe('2026-05-05T11:50:00.500000Z');
    expect(rows.at(-1)?.slice(0, 27)).toBe(instantOf(Date.parse('2026-05-05T12:00:00.500Z') - INTERVAL_MS));
    expect(await spacing()).toEqual({ least: INTERVAL_MS, most: INTERVAL_MS });
  });

  it('fill only the missing points: since the last run, and in between', async () => {
    await fill('2026-05-05T11:55:00.000000Z');
    await test.sql(`delete from audio_data where time >= '2026-05-05T11:52:00Z' and time < '2026-05-05T11:53:00Z'
        or time = '2026-05-05T11:54:30Z'`);
    expect(await fill(NOW)).toBe((5 * 60_000 + 60_000) / INTERVAL_MS + 1);
    expect(await spacing()).toEqual({ least: INTERVAL_MS, most: INTERVAL_MS });
    const filled = await exported();
    await test.sql('truncate audio_data');
    await fill(NOW);
    expect(filled.endsWith((await exported()).split('\n').slice(1).join('\n'))).toBe(true);
  });

  it('keep points older than the past that they fill', async () => {
    await fill('2026-04-28T12:00:00.000000Z');
    expect(await fill(NOW)).toBe(ALL_OF_THEM);
    expect(await count()).toBe(2 * ALL_OF_THEM);
    expect((await spacing()).most).toBe(7 * 86_400_000 - TEN_MINUTES + INTERVAL_MS);
  });
});
