// One schema of a database, used like a database of its own: the basis of a station.
import { beforeAll, expect, it } from 'vitest';
import { inSchema } from '../../src/database/in-schema.ts';
import { describeEachDriver, openForAll, statement } from '../engines.ts';

const POINT = (level: number) => `insert into audio_data (time, rms_db) values ('2026-01-01Z', ${level})`;

describeEachDriver('One schema of a database', (engine) => {
  const test = openForAll(() => engine.open());
  beforeAll(async () => {
    await test.sql(`${POINT(-10)}; create schema "o""ther"; create schema beside`);
    await test.sql(`create table "o""ther".audio_data (like public.audio_data including all)`);
  });
  const other = () => inSchema(test.db, 'o"ther', () => new Error('It has no tables'));
  const levels = async (db: typeof test.db) =>
    (
      await db.query<{ rms_db: number }>(
        statement(
          'select audio_data.rms_db from (select * from "@station".audio_data) as audio_data order by 1',
        ),
      )
    ).map(({ rms_db }) => rms_db);
  const csv = (level: number) => `2026-01-01Z,${level},,false\n`;

  it('reads and stores only its own tables, whatever the search path of the session', async () => {
    expect(await levels(other())).toEqual([]);
    await other().transaction(async ({ run, copy }) => {
      await copy(csv(-20));
      await run('insert into "@station".audio_data (time, rms_db) values ($1, -30)', ['2026-01-02Z']);
    });
    expect([await levels(other()), await levels(test.db)]).toEqual([[-30, -20], [-10]]);
  });

  it('reports missing tables, instead of using the tables of another schema', async () => {
    const beside = inSchema(test.db, 'beside', () => new Error('It has no tables'));
    await expect(levels(beside)).rejects.toThrow('It has no tables');
    await expect(
      beside.transaction(({ run }) => run('select from "@station".audio_data', [])),
    ).rejects.toThrow('no tables');
  });
});
