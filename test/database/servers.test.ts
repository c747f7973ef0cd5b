import { expect, it, onTestFinished, vi } from 'vitest';
import { openForCommand } from '../../src/cli/command-database.ts';
import type { Database } from '../../src/database/database.ts';
import { isUnreachable } from '../../src/database/faults.ts';
import { inSchema } from '../../src/database/in-schema.ts';
import { openPostgres } from '../../src/database/postgres.ts';
import { openServers } from '../../src/database/servers.ts';
import { describeServer, statement } from '../engines.ts';
import { environmentOf } from '../environment.ts';
import { logged } from '../http/service-on.ts';
import { startProxy } from '../tampering-proxy.ts';
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
  /** @param queryTimeoutMs a server is frozen after 2 s, or later on a busy machine */
  function open(url: string, queryTimeoutMs = 60_000) {
    const { lines, logger } = logged('info');
    const db = openServers(
      () => openPostgres({ url, queryTimeoutMs, graceMs: 100, exportTimeoutMs: 5000 }),
      logger,
    );
    closers.push(db.close);
    return { db, lines: () => lines.map(({ msg, server }) => `${server}: ${msg}`) };
  }
  const pidAt = async (db: Database, name: string) => (await db.query(at(name, PID)))[0]?.pid ?? 0;

  it('have connections of their own', async () => {
    const { db } = open((await database(server)).url);
    const pids = [await pidAt(db, 'a'), await pidAt(db, 'b'), (await db.query(PID))[0]?.pid];
    expect(new Set(pids).size).toBe(3);
    expect(await pidAt(db, 'a')).toBe(pids[0]);
    const one = await db.transaction((transaction) => transaction.query(ONE), { server: 'a' });
    expect(one).toEqual([{ one: 1 }]);
    expect(db.pools().map(({ name, idle }) => [name, idle])).toEqual([
      ['queries', 1],
      ['copies', 0],
      ['queries at a', 1],
      ['copies at a', 1],
      ['queries at b', 1],
      ['copies at b', 0],
    ]);
  });

  it('are not watched by commands that may wait for a day', async () => {
    const { environment } = environmentOf({
      DATABASE_URL: (await database(server, server.template)).url,
    });
    const db = await openForCommand(environment, { isPatient: true });
    closers.push(db.close);
    expect(await db.query(at('a', ONE))).toEqual([{ one: 1 }]);
    expect(db.pools?.().map(({ name }) => name)).toEqual(['queries', 'copies']);
  });

  it('are not frozen because one of their connections hangs', async () => {
    const { db, lines } = open((await database(server)).url, 2400);
    const pid = await pidAt(db, 'a');
    process.kill(pid, 'SIGSTOP');
    try {
      await expect(db.query(at('a', ONE))).rejects.toMatchObject({ code: 'GATEWAY_TIMEOUT' });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await db.query(at('a', ONE))).toEqual([{ one: 1 }]);
    expect(lines()).toEqual([]);
  });

  it('are not frozen while they run long statements', async () => {
    const { db, lines } = open((await database(server)).url, 2400);
    await db.query(at('a', ONE));
    const long = Array.from({ length: 6 }, () => db.query(at('a', statement('select pg_sleep(60)'))));
    for (const outcome of await Promise.allSettled(long))
      expect(outcome).toMatchObject({ reason: { code: 'GATEWAY_TIMEOUT' } });
    expect(await db.query(at('a', ONE))).toEqual([{ one: 1 }]);
    expect(lines()).toEqual([]);
  });

  it('fail all statements while they are frozen, and no longer once they answer', async () => {
    const { url, owner } = await database(server);
    const { db, lines } = open(url);
    await owner.query('create table locked (n int)');
    await owner.query('begin; lock table locked in access exclusive mode');
    const leaving = new AbortController();
    const locked = at('a', statement('select from locked'));
    const left = db.query(locked, {}, leaving.signal);
    const waiting = Promise.allSettled([db.query(locked), db.query(locked)]);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    for (const outcome of await waiting) expect(outcome).toMatchObject({ reason: REFUSED });
    await expect(db.query(locked)).rejects.toMatchObject(REFUSED);
    await expect(db.query(locked)).rejects.toSatisfy(isUnreachable); // so that loops do not report each station
    expect(await db.query(at('b', ONE))).toEqual([{ one: 1 }]);
    expect(lines()).toEqual(['a: A server does not answer: its stations get 503 until it does']);
    await owner.query('rollback');
    await expect.poll(lines).toContain('a: The server answers again');
    expect(await db.query(locked)).toEqual([]);
  });

  it('are not frozen for long because the tables of one station are locked', async () => {
    const { url, owner } = await database(server);
    const { db, lines } = open(url, 3000);
    await owner.query('create table locked (n int)');
    await owner.query('begin; lock table locked in access exclusive mode');
    const locked = at('a', statement('select from locked'));
    await expect(db.query(locked)).rejects.toMatchObject(REFUSED);
    await expect(db.query(at('a', ONE))).rejects.toMatchObject(REFUSED);
    await expect.poll(lines, { timeout: 10_000 }).toContain('a: The server answers again');
    await expect(db.query(locked)).rejects.toMatchObject({ code: 'GATEWAY_TIMEOUT' });
    expect(await db.query(at('a', ONE))).toEqual([{ one: 1 }]);
    expect(lines()).toHaveLength(2);
  });

  it('are not thought alive because of a station that has moved', async () => {
    const { url, owner } = await database(server);
    const { db, lines } = open(url);
    let holder = 'a';
    const moving = inSchema(
      db,
      'public',
      () => new Error('It is gone'),
      () => holder,
    );
    await moving.query(ONE);
    holder = 'b';
    await owner.query('create table locked (n int)');
    await owner.query('begin; lock table locked in access exclusive mode');
    const locked = at('a', statement('select from locked'));
    await expect(db.query(locked)).rejects.toMatchObject(REFUSED);
    expect(await moving.query(ONE)).toEqual([{ one: 1 }]);
    await owner.query('rollback');
    await expect.poll(lines).toContain('a: The server answers again');
  });

  it('are no longer asked once no station is there, and not called frozen for that', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { db, lines } = open((await database(server)).url);
    let holder = 'a';
    const leaving = new AbortController();
    const sleeping = {
      ...statement('select pg_sleep(60)'),
      get server() {
        return holder;
      },
    };
    const left = db.query(sleeping, {}, leaving.signal);
    vi.advanceTimersByTime(250);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    holder = 'b';
    vi.advanceTimersByTime(10_000);
    expect([vi.getTimerCount(), lines()]).toEqual([0, []]);
  });

  it('are frozen while nothing reaches them, and are asked until something does', async () => {
    const { url } = await database(server);
    const proxy = await startProxy(url);
    closers.push(async () => proxy.close());
    const { db, lines } = open(proxy.url);
    proxy.tamper(() => (_, near) => void near.destroy());
    const asked = () => db.query(at('a', ONE)).catch(({ message }) => message);
    await expect.poll(asked).toBe(REFUSED.message);
    proxy.tamper(undefined);
    await expect.poll(lines).toContain('a: The server answers again');
    expect(await db.query(at('a', ONE))).toEqual([{ one: 1 }]);
  });
});
