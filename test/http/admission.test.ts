// Heavy work of some callers leaves enough capacity for the short queries of all callers.
import { setImmediate as iteration } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { Inside } from '../../src/http/request-accounting.ts';
import { ROW, repeated } from '../rows.ts';
import { open, send } from './raw.ts';
import { batch, range, ranged, stall, watched } from './requests-under-load.ts';
import { empty, held, serviceOn } from './service-on.ts';

type Admission = Inside['admission'];

describe('heavy queries', () => {
  let { db, waiting } = held();
  afterEach(() => {
    ({ db, waiting } = held());
  });
  /** Waits until the database has received `count` statements, and `others` queries wait for slots. */
  const runs = ({ heavy }: Admission, count: number, others = 0) =>
    expect.poll(() => [waiting.length, heavy.waiting]).toEqual([count, others]);

  /** Answers all statements but the first `spared`, now and later. */
  function answerAll(spared: number) {
    const timer = setInterval(() => {
      for (const { answer } of waiting.slice(spared)) answer();
    }, 10);
    const stop = () => clearInterval(timer);
    onTestFinished(stop);
    return stop;
  }

  it('run only so many at a time, and short queries overtake them', async () => {
    const { url, admission } = await watched(db, { limits: { heavySlots: 2 } });
    const heavy = [
      range(10_000),
      range(1001),
      '/api/v1/stats/summary?period=1h',
      '/api/v1/stats/series?from=now-1h&to=now',
      '/api/v1/events/loud?limit=1001',
      '/api/v1/audio/latest?limit=1001',
    ].map((path) => send(`${url}${path}`));
    await runs(admission, 2, 4);
    const short = [
      '/api/v1/audio/latest',
      range(1000),
      '/api/v1/events/loud',
      '/api/v1/stats/summary?period=1m',
    ];
    const answers = short.map((path) => send(`${url}${path}`));
    await runs(admission, 6, 4);
    const stop = answerAll(2);
    for (const answer of answers) expect((await answer).status).toBe(200);
    stop();
    answerAll(0);
    for (const answer of heavy) expect((await answer).status).toBe(200);
  });

  it('are refused with 503 if too many wait, on both transports', async () => {
    const { url, admission } = await watched(db, { limits: { heavySlots: 1, maxWaiting: 1 } });
    const first = send(`${url}${range(5000)}`);
    await runs(admission, 1);
    const second = send(`${url}${range(5001)}`);
    await runs(admission, 1, 1);
    const rest = await send(`${url}${range(5002)}`);
    expect([rest.status, rest.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(`${rest.body}`)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      detail: 'The service is busy: too many requests are waiting',
    });
    const rpc = await send(`${url}${batch(ranged(5003))}`);
    expect([rpc.status, rpc.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(`${rpc.body}`)[0].error.data.code).toBe('SERVICE_UNAVAILABLE');
    waiting[0]?.answer();
    await runs(admission, 2);
    waiting[1]?.answer();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it.each([undefined, 'application/jsonl'])(
    'in a batch wait for a slot each, streamed or not: %s',
    async (accept) => {
      const { url, admission } = await watched(db, { limits: { heavySlots: 1 } });
      const headers = accept === undefined ? {} : { 'trpc-accept': accept };
      const one = send(`${url}${batch(...[1, 2, 3].map((n) => ranged(5000 + n)))}`, headers);
      await runs(admission, 1, 2);
      const other = send(`${url}${range(9000)}`);
      await runs(admission, 1, 3);
      answerAll(0);
      expect([(await one).status, (await other).status]).toEqual([200, 200]);
      expect(waiting.map(({ values }) => values)).toMatchObject(
        [5002, 5003, 5004, 9001].map((reach) => ({ reach })),
      );
    },
  );

  it('stop waiting when their callers leave', async () => {
    const { url, admission } = await watched(db, { limits: { heavySlots: 1 } });
    const first = send(`${url}${range(5000)}`);
    await runs(admission, 1);
    const leaving = new AbortController();
    const gone = [range(5001), batch(ranged(5002))].map((path) =>
      fetch(`${url}${path}`, { signal: leaving.signal }).catch((error: Error) => error.name),
    );
    await runs(admission, 1, 2);
    leaving.abort();
    expect(await Promise.all(gone)).toEqual(['AbortError', 'AbortError']);
    await runs(admission, 1);
    waiting[0]?.answer();
    expect((await first).status).toBe(200);
    expect([admission.heavy.running, waiting.length]).toEqual([0, 1]);
    const next = send(`${url}${range(5003)}`);
    await runs(admission, 2);
    waiting[1]?.answer();
    expect((await next).status).toBe(200);
  });
});

describe('light queries', () => {
  it.each([undefined, 'application/jsonl'])(
    'in one request run four at a time, streamed or not: %s',
    async (accept) => {
      const { db, waiting } = held();
      const url = await serviceOn(db);
      const calls = Array.from({ length: 20 }, (_, n) => ranged(n + 1));
      const headers = accept === undefined ? {} : { 'trpc-accept': accept };
      const answer = send(`${url}${batch(...calls)}`, headers);
      for (let answered = 0; answered < 20; answered += 4) {
        await expect.poll(() => waiting.length).toBe(answered + 4);
        await send(`${url}/api/v1/health/live`); // is answered after the others have started
        expect(waiting).toHaveLength(answered + 4);
        for (const { answer } of waiting.slice(answered)) answer();
      }
      expect((await answer).status).toBe(200);
    },
  );

  it('from one caller leave the next connection to the others', async () => {
    const { db, waiting, answer } = held();
    const url = await serviceOn(db, {
      trustProxy: ['127.0.0.1'],
      limits: { poolSize: 10, heavySlots: 1 },
    });
    const from = (address: string, limit: number) =>
      send(`${url}${range(limit)}`, { 'x-forwarded-for': address });
    const flood = Array.from({ length: 50 }, (_, n) => from('192.0.2.1', n + 1));
    await expect.poll(() => waiting.length).toBe(8);
    const other = from('192.0.2.2', 500);
    await send(`${url}/api/v1/health/live`); // is answered after the other has started
    waiting[0]?.answer();
    await answer(8);
    expect((await other).status).toBe(200);
    const timer = setInterval(() => {
      for (const { answer } of waiting) answer();
    }, 5);
    onTestFinished(() => clearInterval(timer));
    for (const answer of flood) expect((await answer).status).toBe(200);
  });
});

it('one caller may have only so many calls open, but probes and the OpenAPI document do not count', async () => {
  const { db, waiting } = held();
  const url = await serviceOn(db, { trustProxy: ['127.0.0.1'], limits: { openPerCaller: 3 } });
  const from = (path: string, address = '192.0.2.1') => send(`${url}${path}`, { 'x-forwarded-for': address });
  const first = [from(range(1)), from(batch(ranged(2), ranged(3)))];
  await expect.poll(() => waiting.length).toBe(3);
  const refused = await from('/api/v1/audio/latest');
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect(JSON.parse(`${refused.body}`).detail).toBe('The service is busy: too many requests are running');
  for (const path of ['/api/v1/health/live', '/trpc/health.live', '/api/v1/openapi.json'])
    expect((await from(path)).status).toBe(200);
  const other = from(range(5), '192.0.2.2');
  await expect.poll(() => waiting.length).toBe(4);
  for (const { answer } of waiting) answer();
  for (const answer of [...first, other]) expect((await answer).status).toBe(200);
  const next = from(range(4));
  await expect.poll(() => waiting.length).toBe(5);
  waiting[4]?.answer();
  expect((await next).status).toBe(200);
});

describe('a slow reader', () => {
  const PATIENCE = { minReadRate: 1_000_000, patienceMs: 200, lookEveryMs: 50 };

  /** Exports that never end. */
  const endless: Database = {
    ...empty,
    async *copyOut(_statement, _values, signal) {
      const piece = repeated(ROW, 2000);
      while (!signal?.aborted) {
        await iteration();
        yield piece;
      }
    },
  };
  const csv = '/api/v1/export/csv?from=now-1h&to=now';

  it('of an export is disconnected when another request waits for its slot', async () => {
    const url = await serviceOn(endless, { limits: { exportSlots: 1, slowReaders: PATIENCE } });
    const slow = await stall(url, csv);
    const next = await open(`${url}${csv}`);
    expect(next.statusCode).toBe(200);
    slow.socket.resume();
    await slow.ended;
    next.destroy();
  });

  it('continues if no caller waits', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url, answering } = await watched(endless, { limits: { exportSlots: 2, slowReaders: PATIENCE } });
    const slow = await stall(url, csv);
    const other = await stall(url, csv);
    await expect.poll(() => [...answering].every(({ writableNeedDrain }) => writableNeedDrain)).toBe(true);
    vi.advanceTimersByTime(10 * PATIENCE.patienceMs);
    expect([...answering].map(({ destroyed }) => destroyed)).toEqual([false, false]);
    other.socket.destroy();
    slow.socket.destroy();
  });

  it('keeps its call open for as long as it reads', async () => {
    const url = await serviceOn(endless, { limits: { openPerCaller: 1 } });
    const slow = await stall(url, csv);
    expect((await send(`${url}${range(1)}`)).status).toBe(503);
    slow.socket.destroy();
    await expect.poll(async () => (await send(`${url}${range(1)}`)).status).toBe(200);
  });

  it('is not any reader that keeps up with the export', async () => {
    const url = await serviceOn(endless, {
      limits: { exportSlots: 1, slowReaders: { ...PATIENCE, minReadRate: 1e12 }, maxWaitMs: 500 },
    });
    const fast = await open(`${url}${csv}`);
    let bytes = 0;
    fast.on('data', (piece) => {
      bytes += piece.length;
    });
    const { status } = await send(`${url}${csv}`);
    expect(status).toBe(503);
    const before = bytes;
    await expect.poll(() => bytes).toBeGreaterThan(before);
    fast.destroy();
  });
});

it('one caller may run only so many exports at a time', async () => {
  let running = 0;
  const db: Database = {
    ...empty,
    async *copyOut(_statement, _values, signal) {
      running++;
      try {
        while (!signal?.aborted) {
          await iteration();
          yield ROW;
        }
      } finally {
        running--;
      }
    },
  };
  const { url, admission } = await watched(db, { limits: { exportSlots: 4, exportsPerCaller: 2 } });
  const sent = [1, 2, 3].map((hours) => open(`${url}/api/v1/export/csv?from=now-${hours}h&to=now`));
  const [first, second] = await Promise.all(sent.slice(0, 2));
  await expect.poll(() => admission.exports.waiting).toBe(1);
  expect(running).toBe(2);
  first?.destroy();
  const third = await sent[2];
  expect(third?.statusCode).toBe(200);
  for (const answer of [second, third]) answer?.destroy();
  await expect.poll(() => running).toBe(0);
});

it('an export releases its slot if its caller left before the first piece', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ready, resolve: release } = Promise.withResolvers<void>();
  let starts = 0;
  const db: Database = {
    ...empty,
    async *copyOut() {
      if (starts++ === 0) {
        begin();
        await ready; // a driver may ignore the signal while it waits
      }
      yield ROW;
    },
  };
  const { url, answering } = await watched(db, { limits: { exportSlots: 1 } });
  const leaving = new AbortController();
  const gone = fetch(`${url}/api/v1/export/csv?from=now-1h&to=now`, {
    signal: leaving.signal,
    headers: { 'accept-encoding': 'identity' },
  });
  await begun;
  leaving.abort();
  await expect(gone).rejects.toThrow();
  await expect.poll(() => answering.size).toBe(0);
  release();
  expect((await send(`${url}/api/v1/export/csv?from=now-2h&to=now`)).status).toBe(200);
});
