import { expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { openServers } from '../../src/database/servers.ts';
import { describeServer, statement } from '../engines.ts';
import { logged } from '../http/service-on.ts';
import { arrangements } from './arrangements.ts';

const { closers, database } = arrangements();

const ONE = statement<{ one: number }>('select 1 as one');
const PID = statement<{ pid: number }>('select pg_backend_pid() as pid');
const REFUSED = {
  code: 'SERVICE_UNAVAILABLE',
  message: "The station's server does not answer; try again",
};
const at = <Row>(server: string, asked: ReturnType<typeof statement<Row>>) => ({ ...asked, server });

describeServer('postgres', 'Servers behind a database', (_, server) => {
  async function open() {
    const { url, owner } = await database(server);
    const { lines, logger } = logged('info');
    const db = openServers(
      () => openPostgres({ url, queryTimeoutMs: 2400, graceMs: 100, exportTimeoutMs: 5000 }),
      logger,
    );
    closers.push(db.close);
    return { db, owner, lines: () => lines.map(({ msg, server }) => `${server}: ${msg}`) };
  }
  const pidAt = async (db: Database, name: string) => (await db.query(at(name, PID)))[0]?.pid ?? 0;

  it('have connections of their own', async () => {
    const { db } = await open();
    const pids = [await pidAt(db, 'a'), await pidAt(db, 'b'), (await db.query(PID))[0]?.pid];
    expect(new Set(pids).size).toBe(3);
    expect(await pidAt(db, 'a')).toBe(pids[0]);
    expect(db.pools().map(({ name, idle }) => [name, idle])).toEqual([
      ['queries', 1],
      ['copies', 0],
      ['queries at a', 1],
      ['copies at a', 0],
      ['queries at b', 1],
      ['copies at b', 0],
    ]);
  });

  it('are known to be frozen after the first silence, until a statement of a refused caller is answered', async () => {
    const { db, lines } = await open();
    const pid = await pidAt(db, 'a');
    process.kill(pid, 'SIGSTOP');
    try {
      await expect(db.query(at('a', ONE))).rejects.toMatchObject(REFUSED);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(lines()).toEqual(['a: A server does not answer: its stations get 503 until it does']);
    expect(await db.query(at('b', ONE))).toEqual([{ one: 1 }]);
    await expect(db.query(at('a', ONE))).rejects.toMatchObject(REFUSED);
    await expect.poll(() => db.query(at('a', ONE)).catch(() => [])).toEqual([{ one: 1 }]);
    expect(lines().slice(1)).toEqual(['a: The server answers again']);
  });

  it('are not frozen while they answer anything, an error too', async () => {
    const { db, lines } = await open();
    const slow = Array.from({ length: 6 }, () => db.query(at('a', statement('select pg_sleep(60)'))));
    const over = Promise.allSettled(slow);
    for (let isOver = false; !isOver; ) {
      await expect(db.query(at('a', statement('select 1 / 0')))).rejects.toThrow('division by zero');
      isOver = await Promise.race([
        over.then(() => true),
        new Promise<false>((r) => setTimeout(r, 100, false)),
      ]);
    }
    for (const { status } of await over) expect(status).toBe('rejected');
    expect(await db.query(at('a', ONE))).toEqual([{ one: 1 }]);
    expect(lines()).toEqual([]);
  });

  it('fail the statements that wait when they freeze, but not those of callers who have left', async () => {
    const { db, owner } = await open();
    await owner.query('create table locked (n int)');
    await owner.query('begin; lock table locked in access exclusive mode');
    const leaving = new AbortController();
    const locked = at('a', statement('select from locked'));
    const left = db.query(locked, {}, leaving.signal);
    const waiting = Array.from({ length: 6 }, () => db.query(locked));
    const outcomes = Promise.allSettled(waiting);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: REFUSED });
    await owner.query('rollback');
    await expect.poll(() => db.query(at('a', ONE)).catch(() => [])).toEqual([{ one: 1 }]);
  });
});
