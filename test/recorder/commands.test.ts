import { expect, it } from 'vitest';
import { CSV_TYPE } from '../../src/contract/media-types.ts';
import { exportPoints } from '../../src/operations/export/query.ts';
import { describeEachEngine, openForAll } from '../engines.ts';
import { createRun, file, importCsv } from './run.ts';

const ALL = { from: '0001-01-01T00:00:00.000000Z', to: '9999-12-31T23:59:59.999999Z' };

describeEachEngine('The commands of the recorder', (engine) => {
  const test = openForAll(() => engine.open());
  async function exported(): Promise<string> {
    let text = '';
    for await (const { bytes } of exportPoints(test.db, ALL, { type: CSV_TYPE, offset_db: 0 })) text += bytes;
    return text;
  }

  it('produce the same bytes by export, import, export', async () => {
    await test.sql(`insert into audio_data select timestamptz '2026-01-01' + i * interval '1.000001 s',
      case when i % 7 = 0 then null else -(random() * 50)::real end,
      case when i % 5 = 0 then null else 100 + (random() * 7900)::int end, i % 3 = 0
      from generate_series(1, 8000) i`);
    await test.sql(`insert into audio_data values ('2026-01-02', -0.00001, 100, false), ('2026-01-02', '-0', 8000, true),
      ('2026-01-02', -1e-30, null, true), ('2026-01-02', -49.999996, 440, false), ('2026-01-02', -49.999996, 440, false),
      ('0001-01-01T00:00:00Z', -50, null, true)`);
    const before = await exported();
    expect(before.split('\n')).toHaveLength(8008);
    await test.sql('truncate audio_data');
    await importCsv([file(before), '--far'], createRun({ onto: test.db }).io);
    expect((await exported()) === before).toBe(true);
  });
});
