import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { exportCsv } from '../../src/queries/export-csv.ts';
import { fillDay } from '../../src/recorder/demo-feed.ts';
import { describeEachEngine, type TestDatabase } from '../engines.ts';
import { createRun, file, importCsv, messageOf, NOW, record } from './run.ts';
import { encode, noise, wav } from './sound.ts';

const ALL = { from: '0001-01-01T00:00:00.000000Z', to: '9999-12-31T23:59:59.999999Z' };

describeEachEngine('The commands of the recorder', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await engine.open();
  });
  afterEach(() => test.sql('truncate audio_data'));
  afterAll(() => test?.close());

  const io = () => ({ ...createRun().io, openDatabase: async () => ({ ...test.db, close: async () => {} }) });
  const count = async () => (await test.sql('select count(*)::int as n from audio_data'))[0].n;

  async function exported(): Promise<string> {
    let text = '';
    for await (const piece of exportCsv(test.db, ALL)) text += piece.bytes.toString('latin1');
    return text;
  }

  it('give the same bytes by export, import, export', async () => {
    await test.sql(`insert into audio_data select timestamptz '2026-01-01' + i * interval '1.000001 s',
      case when i % 7 = 0 then null else -(random() * 50)::real end,
      case when i % 5 = 0 then null else 100 + (random() * 7900)::int end, i % 3 = 0
      from generate_series(1, 20000) i`);
    await test.sql(`insert into audio_data values ('2026-01-02', -0.00001, 100, false), ('2026-01-02', '-0', 8000, true),
      ('2026-01-02', -1e-30, null, true), ('2026-01-02', -49.999996, 440, false), ('2026-01-02', -49.999996, 440, false),
      ('0001-01-01T00:00:00Z', -50, null, true)`);
    const before = await exported();
    await test.sql('truncate audio_data');
    await importCsv([file(before)], io());
    expect(await count()).toBe(20_006);
    expect((await exported()) === before).toBe(true);
  });

  it('store all of a recording', async () => {
    const sound = encode('s16', [noise(0.1)], 8000, 8000 * 60);
    await record([file(wav(sound)), '--start', '2026-01-01T00:00:00Z'], io());
    expect(await count()).toBe(600);
    const [, first] = (await exported()).split('\n');
    expect(first).toMatch(/^2026-01-01T00:00:00\.000000Z,-(19|20)\.\d+,\d+,false$/);
  });

  it('store nothing of a recording that turns bad at its end', async () => {
    const sound = encode('f32', [(t) => (t > 59.9 ? Number.NaN : 0.1)], 8000, 8000 * 60);
    const path = file(wav(sound, { encoding: 'f32' }));
    const failed = record([path, '--start', '2026-01-01T00:00:00Z'], io());
    expect(await messageOf(failed)).toContain('not a finite number');
    expect(await count()).toBe(0);
  });

  it('store nothing of a CSV file that is bad at its end', async () => {
    const rows = '2026-01-01T00:00:00Z,-1,440,false\n'.repeat(50_000);
    const path = file(`time,rms_db,frequency_hz,is_silence\n${rows}2026-01-01T00:00:00Z,1,440,false\n`);
    expect(await messageOf(importCsv([path], io()))).toContain('line 50002: rms_db is "1"');
    expect(await count()).toBe(0);
  });

  it('fill an empty table with a day of points, once', async () => {
    expect(await fillDay(test.db, NOW)).toBe(86_400);
    expect(await fillDay(test.db, NOW)).toBe(0);
    expect(await count()).toBe(86_400);
  });
});
