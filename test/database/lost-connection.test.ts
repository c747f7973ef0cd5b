import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeServerOnWire, openForAll, statement } from '../engines.ts';

describeServerOnWire('a read whose connection breaks', (engine) => {
  const database = openForAll(() => engine.open({ poolWaitMs: 20_000 }));
  beforeEach(() => hold());
  afterEach(() => letGo());

  /** Blocks reads. */
  const hold = async () => void (await database.sql('select pg_advisory_lock(7)'));
  const letGo = async () => void (await database.sql('select pg_advisory_unlock_all()'));
  const waits = 'pg_advisory_xact_lock(7)';

  /** Ends the blocked backends. */
  const endWaiters = () =>
    database.sql(`select pg_terminate_backend(pid) as ended from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and wait_event = 'advisory'`);

  it('is retried on a new connection', async () => {
    const pending = database.db.query<{ answer: number }>(statement(`select ${waits}, 7 as answer`));
    while ((await endWaiters()).length === 0);
    await letGo();
    expect((await pending)[0]?.answer).toBe(7);
  });

  it('is 503 if the connection breaks each time', async () => {
    let isOver = false;
    const pending = database.db.query(statement(`select ${waits}`)).finally(() => {
      isOver = true;
    });
    const checked = expect(pending).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    while (!isOver) await endWaiters();
    await checked;
  });
});
