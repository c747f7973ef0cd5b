import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachServer, type TestDatabase } from '../engines.ts';

describeEachServer('a read whose connection breaks', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await engine.open({ poolWaitMs: 20_000 });
  });
  afterAll(() => database?.close());

  /** Ends the backend that sleeps, as soon as there is one other than `known`. */
  async function endSleeper(known?: number): Promise<number> {
    for (;;) {
      const [sleeper] = await database.sql(
        `select pid, pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid not in (pg_backend_pid(), ${known ?? 0}) and wait_event = 'PgSleep'`,
      );
      if (sleeper) return sleeper.pid;
    }
  }
  const sleep = { text: 'select pg_sleep(0.5), 7 as answer', parameters: [] };

  it('is asked again on a new one', async () => {
    const asked = database.db.query<{ answer: number }>(sleep);
    await endSleeper();
    expect((await asked)[0]?.answer).toBe(7);
  });

  it('is 503 when it breaks again', async () => {
    const refused = expect(database.db.query({ ...sleep, text: 'select pg_sleep(60)' })).rejects;
    const checked = refused.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await endSleeper(await endSleeper());
    await checked;
  });
});
