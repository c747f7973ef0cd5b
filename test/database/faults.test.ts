import { createServer, type Socket } from 'node:net';
import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { freePort, listen, startCluster } from '../cluster.ts';
import { copyIn } from '../copy-in.ts';
import { connect, createDatabase, describeServer, ENDLESS, openForAll, statement } from '../engines.ts';
import { csvRows } from '../rows.ts';
import { startProxy } from '../tampering-proxy.ts';
import { arrangements, asRole } from './arrangements.ts';

const { closers, open, session } = arrangements();

const ONE = statement('select 1 as one');
const UNREACHABLE = { code: 'SERVICE_UNAVAILABLE', message: 'The database cannot be reached' };

function stream(db: Database, text: string, signal?: AbortSignal): AsyncIterable<Buffer> {
  if (!db.copyOut) throw new Error('This driver cannot stream');
  return db.copyOut(statement(text), {}, signal);
}

async function count(pieces: AsyncIterable<Buffer>): Promise<number> {
  let rows = 0;
  for await (const piece of pieces) rows += piece.toString().split('\n').length - 1;
  return rows;
}

/** An export that has sent its first rows; `rest` reads the others to the end. */
async function begun(pieces: AsyncIterable<Buffer>) {
  const iterator = pieces[Symbol.asyncIterator]();
  expect((await iterator.next()).done).toBe(false);
  return {
    async rest() {
      while (!(await iterator.next()).done);
    },
    leave: () => iterator.return?.(),
  };
}

/** Accepts connections and never answers, like a frozen server or a firewall. */
async function blackHole(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgres://someone@127.0.0.1:${await listen(server)}/nowhere`;
}

/** A log that records its warnings. */
function noted() {
  const logged: object[] = [];
  return { logged, log: { warn: (fields: object, message: string) => logged.push({ ...fields, message }) } };
}

const HELD = { toFake: ['setTimeout' as const, 'clearTimeout' as const] };

/** Lets exactly one second pass during `work`. @returns the answer by then */
async function withinASecond<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  vi.useFakeTimers(HELD);
  try {
    const pending = work();
    pending.catch(() => {});
    await vi.advanceTimersByTimeAsync(1000);
    return await pending;
  } finally {
    vi.useRealTimers();
  }
}

/** Lets time pass until `work` ends. */
async function timePassing<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) await vi.advanceTimersByTimeAsync(100);
  return work;
}

function holdTime(): void {
  vi.useFakeTimers(HELD);
  onTestFinished(() => void vi.useRealTimers());
}

describe('An unreachable server', () => {
  it('is a 503 without details; the log keeps the cause', async () => {
    const db = open(`postgres://someone:secret@127.0.0.1:${await freePort()}/nowhere`);
    await expect(db.query(ONE)).rejects.toMatchObject({ ...UNREACHABLE, cause: { code: 'ECONNREFUSED' } });
    await expect(count(stream(db, 'select 1'))).rejects.toMatchObject(UNREACHABLE);
    await expect(copyIn(db, csvRows(1))).rejects.toMatchObject(UNREACHABLE);
    await expect(db.ready()).rejects.toMatchObject(UNREACHABLE);
  });

  it('is also a 503 if it accepts connections but never answers, and ready() reports it within a second', async () => {
    const db = open(await blackHole());
    const checks = await withinASecond(() => Promise.allSettled([db.ready(), db.ready(), db.ready()]));
    const reason = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
    expect(checks).toEqual(Array(3).fill({ status: 'rejected', reason }));
    holdTime();
    await expect(timePassing(db.query(ONE))).rejects.toMatchObject(UNREACHABLE);
  });
});

describeServer(inject('timescale') ? 'timescale' : 'postgres', 'The driver', (_, server) => {
  const shared = openForAll(async () => {
    const { url, drop } = await createDatabase(server, server.template);
    const owner = await connect(url);
    const close = () => owner.end().then(drop);
    return { url, owner, close };
  });
  const backends = async (state: string) =>
    (
      await shared.owner.query(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and application_name = 'audio-metrics' and state = $1`,
        [state],
      )
    ).rows.map(({ pid }) => pid as number);

  // constants are computed during planning, in one step during which the server does not check for a cancel
  const SLOW_TO_PLAN = `select count(*), md5(repeat('x', 100000000)) from generate_series(1, 1e12::bigint)`;
  // in the select list, so the server computes it as rows are read
  const MANY = `select generate_series(1, 20000000) || repeat('x', 100)`;

  it('answers 503 for a refused login, a missing database and a missing table', async () => {
    const { url } = shared;
    await expect(open(asRole(url, 'nobody_at_all')).query(ONE)).rejects.toMatchObject({
      ...UNREACHABLE,
      cause: { code: '28000' },
    });
    await expect(open(`${url}_missing`).query(ONE)).rejects.toMatchObject(UNREACHABLE);
    await expect(open(url).query(statement('select * from not_there'))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('npm run migrate'),
    });
  });

  it('answers 503 if no connection becomes free in time, while ready() still succeeds', async () => {
    const { url, owner } = shared;
    const db = open(url, { poolSize: 2, poolWaitMs: 300 });
    const locked = statement('select pg_advisory_xact_lock(1)');
    await owner.query('select pg_advisory_lock(1)');
    const busy = [db.query(locked), db.query(locked)];
    await expect.poll(() => backends('active')).toHaveLength(2);
    await expect(db.query(ONE)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'No database connection became free in time',
    });
    await db.ready();
    await owner.query('select pg_advisory_unlock(1)');
    await Promise.all(busy);
    expect(await db.query(ONE)).toEqual([{ one: 1 }]);
  });

  it('answers 504 for a query over its limit, and keeps working', async () => {
    const db = open(shared.url, { queryTimeoutMs: 1000 }); // long enough for the next query on a busy machine
    await expect(db.query(ENDLESS)).rejects.toMatchObject({
      code: 'GATEWAY_TIMEOUT',
      cause: { code: '57014' },
    });
    expect(await db.query(ONE)).toEqual([{ one: 1 }]);
  });

  it('logs the fix if a pooler gives its sessions to other clients', async () => {
    const db = open(shared.url, { poolSize: 1 });
    const advice = { ...UNREACHABLE, cause: { message: expect.stringContaining('max_prepared_statements') } };
    await expect(db.query(statement('execute not_there'))).rejects.toMatchObject(advice);
    await db.query(statement('prepare there as select 1'));
    await expect(db.query(statement('prepare there as select 1'))).rejects.toMatchObject(advice);
  });

  it('can be closed twice, and is unavailable afterwards', async () => {
    const db = open(shared.url);
    await Promise.all([db.query(ONE), db.ready()]);
    await Promise.all([db.close(), db.close()]);
    await expect(db.query(ONE)).rejects.toMatchObject(UNREACHABLE);
  });

  it('survives the end of its idle connections, and logs only why they ended', async () => {
    const { url, owner } = shared;
    const { logged, log } = noted();
    const db = open(url, { log });
    await Promise.all([db.query(ONE), db.ready(), count(stream(db, 'select 1'))]);
    await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'audio-metrics'`);
    await expect.poll(() => logged.length).toBeGreaterThan(0);
    expect(await db.query(ONE)).toEqual([{ one: 1 }]);
    await db.ready();
    const ended = { reason: 'terminating connection due to administrator command', code: '57P01' };
    expect(logged[0]).toEqual({
      ...ended,
      message: 'An idle database connection was lost; the next query opens another',
    });
  });

  it('closes idle connections without a log line', async () => {
    const { url } = shared;
    const { logged, log } = noted();
    const db = open(url, { queryTimeoutMs: 100, graceMs: 100, log });
    await expect.poll(() => backends('idle')).toEqual([]); // of earlier tests
    const query = () => db.query(ONE); // on a busy machine, a query can take longer than the limit on silence
    await expect.poll(query).toEqual([{ one: 1 }]);
    await expect.poll(() => backends('idle')).toEqual([]);
    await expect.poll(query).toEqual([{ one: 1 }]);
    expect(logged).toEqual([]);
  });

  describe('exporting', () => {
    it('reads only as fast as the consumer', async () => {
      const { url, owner } = shared;
      const db = open(url, { poolWaitMs: 20_000, exportTimeoutMs: 60_000 });
      const before = process.memoryUsage().rss;
      const reader = await begun(stream(db, MANY));
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event = 'ClientWrite'`;
      for (let inARow = 0; inARow < 50; )
        inARow = (await owner.query(waits)).rows.length === 1 ? inARow + 1 : 0;
      expect(process.memoryUsage().rss - before).toBeLessThan(60 * 2 ** 20);
      await reader.leave();
    });

    it.each([
      'stops early',
      'aborts while it waits',
      'aborts before the first row',
      'aborts as it begins',
      'aborts while the server plans',
    ])('ends the statement when the consumer %s, and the pool stays whole', async (how) => {
      const { url } = shared;
      const db = open(url, { poolWaitMs: 20_000, copyPoolSize: 1, exportTimeoutMs: 60_000 });
      for (let round = 0; round < 2; round++) {
        const abort = new AbortController();
        await count(stream(db, 'select 1')); // on a connection that is open
        if (how === 'stops early') {
          for await (const _ of stream(db, MANY, abort.signal)) break;
        } else if (how === 'aborts while it waits') {
          const reader = await begun(stream(db, MANY, abort.signal));
          abort.abort(new Error('gone'));
          await expect(reader.rest()).rejects.toThrow('gone');
        } else {
          const isPlanned = how === 'aborts while the server plans';
          const text = isPlanned ? SLOW_TO_PLAN : 'select count(*) from generate_series(1, 1000000000)';
          const all = count(stream(db, text, abort.signal));
          if (how === 'aborts as it begins')
            await iteration(); // the transaction has been requested, and the server has not answered
          else while ((await backends('active')).length === 0);
          abort.abort(new Error('gone'));
          await expect(all).rejects.toThrow('gone');
        }
      }
      await expect.poll(() => backends('active')).toEqual([]);
      expect(await count(stream(db, 'select 1'))).toBe(1);
    });

    it('answers 504 over its limit, even if the reader has stopped reading', async () => {
      const { url } = shared;
      const hasty = open(url, { exportTimeoutMs: 100 });
      await expect(count(stream(hasty, 'select pg_sleep(5)'))).rejects.toMatchObject({
        code: 'GATEWAY_TIMEOUT',
      });
      const db = open(url, { poolWaitMs: 20_000, exportTimeoutMs: 60_000, copyPoolSize: 1 });
      holdTime();
      const reader = await begun(stream(db, MANY));
      await vi.advanceTimersByTimeAsync(62_000);
      vi.useRealTimers();
      await expect.poll(() => backends('active')).toEqual([]);
      const isFree = () => count(stream(db, 'select 1')).catch(() => 0);
      await expect.poll(isFree).toBe(1); // its connection
      await expect(reader.rest()).rejects.toMatchObject({ code: 'GATEWAY_TIMEOUT' });
    });

    it('aborts if the server falls silent half way, but waits for a slow reader', async () => {
      const db = open(shared.url, { queryTimeoutMs: 100, exportTimeoutMs: 60_000 });
      holdTime();
      const rows = "select repeat('x', 1000) from generate_series(1, 1000)";
      const silent = await begun(stream(db, `${rows} union all select pg_sleep(60)::text`));
      await expect(timePassing(silent.rest())).rejects.toMatchObject({ code: 'GATEWAY_TIMEOUT' });
      let bytes = 0;
      for await (const piece of stream(db, rows)) {
        if (bytes === 0) await vi.advanceTimersByTimeAsync(5000);
        bytes += piece.length;
      }
      expect(bytes).toBe(1000 * 1001);
    });

    it('takes no connection that queries need, and is refused if too many exports run', async () => {
      const { url } = shared;
      const db = open(url, { poolSize: 1, copyPoolSize: 1, poolWaitMs: 3000 }); // connecting included
      const reader = await begun(stream(db, MANY));
      expect(await db.query(ONE)).toEqual([{ one: 1 }]);
      await expect(count(stream(db, 'select 1'))).rejects.toMatchObject({
        message: 'No database connection became free in time',
      });
      await reader.leave();
    });

    it('cannot write', async () => {
      const db = open(shared.url);
      await expect(count(stream(db, 'delete from audio_data returning 1'))).rejects.toMatchObject({
        cause: { code: '25006' },
      });
    });
  });

  describe('importing', () => {
    it('stores nothing if its backend is ended half way', async () => {
      const { url, owner } = shared;
      const db = open(url);
      await owner.query('truncate audio_data');
      async function* rows() {
        yield* csvRows(50_000); // the transaction goes on
        for (const pid of await backends('idle in transaction'))
          await owner.query('select pg_terminate_backend($1)', [pid]);
        while ((await backends('idle in transaction')).length > 0);
        yield* csvRows(50_000);
      }
      await expect(copyIn(db, rows())).rejects.toMatchObject(UNREACHABLE);
      expect((await owner.query('select count(*)::int as n from audio_data')).rows).toEqual([{ n: 0 }]);
      expect(await copyIn(db, csvRows(3))).toBe(3);
    });

    it('has no time limit', async () => {
      const { url, owner } = shared;
      const db = open(url, { queryTimeoutMs: 20 });
      async function* slow() {
        yield* csvRows(1);
        await owner.query('select pg_sleep(0.1)');
        yield* csvRows(1);
      }
      expect(await copyIn(db, slow())).toBe(2);
    });
  });

  it('gives up on a silent server at once if the caller can find out whether the points were stored', async () => {
    const { url, owner } = shared;
    await owner.query('truncate audio_data; create table guards (n int primary key)');
    const proxy = await startProxy(url);
    onTestFinished(proxy.close);
    const db = open(proxy.url, { queryTimeoutMs: 100 });
    const guarded = (csv: AsyncIterable<string>) =>
      db.transaction(
        async ({ run, copy }) => {
          const guards = await run('insert into guards values (1) on conflict do nothing returning n', []);
          let stored = 0;
          if (guards.length > 0) for await (const piece of csv) stored += await copy(piece);
          return stored;
        },
        { isRepeatable: true },
      );
    let isSilent = false;
    proxy.tamper(() => (piece) => (isSilent ? undefined : piece));
    async function* rows() {
      yield* csvRows(2);
      isSilent = true;
    }
    holdTime();
    await expect(timePassing(guarded(rows()))).rejects.toMatchObject(UNREACHABLE);
    vi.useRealTimers();
    isSilent = false;
    expect(await guarded(csvRows(2))).toBeLessThanOrEqual(2);
    expect((await owner.query('select count(*)::int as n from audio_data')).rows).toEqual([{ n: 2 }]);
  });

  it('is not ready while a lock blocks its check, and is ready again after it', async () => {
    const { url, owner } = shared;
    const db = open(url);
    await db.ready();
    await owner.query('begin; lock table drizzle.__drizzle_migrations in access exclusive mode');
    await expect(withinASecond(() => db.ready())).rejects.toMatchObject({
      message: 'The database did not answer in time',
    });
    await owner.query('rollback');
    await db.ready();
  });
});

describeServer('postgres', 'A server that freezes', () => {
  it('reports within a second that it is not ready, fails its queries in time, and serves again after the thaw', async () => {
    const cluster = await startCluster(inject('postgresBin') ?? '');
    closers.push(() => cluster.stop());
    const owner = await session(cluster.url);
    await owner.query('create schema drizzle; create table drizzle.__drizzle_migrations (created_at bigint)');
    await owner.query('insert into drizzle.__drizzle_migrations values (9e15)');
    const db = open(cluster.url, { queryTimeoutMs: 500, graceMs: 100 });
    await Promise.all([db.ready(), db.query(ONE)]);
    const { rows } = await owner.query('select pid from pg_stat_activity where pid <> pg_backend_pid()');
    const frozen = [cluster.pid, ...rows.map(({ pid }) => pid as number)];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      await expect(db.query(ONE)).rejects.toMatchObject({ code: 'GATEWAY_TIMEOUT' });
      await expect(withinASecond(() => db.ready())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await expect.poll(() => db.ready().then(() => 'ready')).toBe('ready');
    expect(await db.query(ONE)).toEqual([{ one: 1 }]);
  });
});
