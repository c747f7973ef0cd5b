// The planner statistics of the embedded database.
import { expect, inject, it, onTestFinished } from 'vitest';
import { openPglite, type PgliteDatabase } from '../../src/database/pglite.ts';
import { startRefreshing } from '../../src/rollups/refresh-rollups.ts';
import { called } from '../in-process.ts';
import { dataFolder } from '../process.ts';
import { file } from '../recorder/run.ts';

const FILL = `insert into audio_data select '2026-01-01Z'::timestamptz + n * interval '1 s', -20, 440, false
  from generate_series(1, 6000) n`;

/** The row count in each table's statistics; none if the table was never analysed. */
const known = ({ run }: PgliteDatabase) =>
  run<{ name: string; rows: number }>(
    `select relname as name, reltuples::int as rows from pg_class
     where relname in ('audio_data', 'audio_data_totals')
       and exists (select from pg_stats where tablename = relname) order by relname`,
  );

it('The embedded database is analysed the first time and again when it has doubled; the log reports the backlog of its rollups', async () => {
  const db = await openPglite({ template: inject('pgliteTemplate') });
  onTestFinished(() => db.close());
  const logged: string[] = [];
  const log = { info: (_: object, line: string) => logged.push(line), warn: () => expect.unreachable() };
  const refreshed = async (points: number, buckets: number) => {
    const { stop } = startRefreshing(db, log);
    await expect
      .poll(() => known(db))
      .toEqual([
        { name: 'audio_data', rows: points },
        { name: 'audio_data_totals', rows: buckets },
      ]);
    await stop();
  };
  await db.run(FILL);
  expect(await known(db)).toEqual([]);
  await refreshed(6000, 202);
  await db.run(FILL.replace('01-01', '01-02').replace('6000', '18000'));
  await refreshed(24_000, 792);
  expect(logged).toEqual([
    'The rollups are catching up: all minutes to recount',
    expect.stringMatching(/^The rollups have caught up: all minutes recounted in \d+\.\d s$/),
    'The rollups are catching up: 301 minutes to recount',
    expect.stringMatching(/^The rollups have caught up: 301 minutes recounted/),
  ]);
});

it('An import analyses the embedded database', async () => {
  const DATA_DIR = dataFolder();
  const time = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  const rows = Array.from({ length: 1000 }, (_, n) => `${time(n)},-20,440,false\n`);
  await called(['import', file(`time,rms_db,frequency_hz,is_silence\n${rows.join('')}`)], { DATA_DIR });
  const db = await openPglite({ dataDir: DATA_DIR });
  onTestFinished(() => db.close());
  expect((await known(db))[0]).toEqual({ name: 'audio_data', rows: 1000 });
});
