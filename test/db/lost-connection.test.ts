import { expect, it } from 'vitest';
import { describeEachServer, openForAll, statement } from '../engines.ts';
import { int32, rowOf } from '../rows.ts';

describeEachServer('a read whose connection breaks', (engine) => {
  const database = openForAll(() => engine.open({ poolWaitMs: 20_000 }));

  /** Ends the backends that sleep. */
  const endSleepers = () =>
    database.sql(`select pg_terminate_backend(pid) as ended from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'PgSleep'`);
  const sleep = statement('select pg_sleep(0.5), 7 as answer');

  it('is asked again on a new one', async () => {
    const asked = database.db.query<{ answer: number }>(sleep);
    while ((await endSleepers()).length === 0);
    expect((await asked)[0]?.answer).toBe(7);
  });

  it('gives each row once, where it broke after some of them', async () => {
    const rows = 3000;
    const asked = database.db.readRows(
      statement(`select n from generate_series(1, ${rows}) n where n < ${rows} or pg_sleep(0.5) is not null`),
    );
    while ((await endSleepers()).length === 0);
    const each = Array.from({ length: rows }, (_, n) => rowOf(int32(n + 1)));
    expect((await asked).equals(Buffer.concat(each))).toBe(true);
  });

  it('is 503 when that breaks each time', async () => {
    let isOver = false;
    const asked = database.db.query(statement('select pg_sleep(60)')).finally(() => {
      isOver = true;
    });
    const checked = expect(asked).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    while (!isOver) await endSleepers();
    await checked;
  });
});
