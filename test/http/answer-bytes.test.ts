// The answers under way share a budget of bytes. Large ones wait for it, and small ones never do.
import { describe, expect, it } from 'vitest';
import { MAX_BATCH_SIZE } from '../../src/contract/batch-limits.ts';
import { MAX_PAGE_POINTS } from '../../src/contract/point.ts';
import { send } from './raw.ts';
import { batch, range, ranged, stall, watched } from './requests-under-load.ts';
import { held } from './service-on.ts';

/** A budget for three pages, of which one caller may have two. */
const LIMITS = { answerBytes: 4 * 1024 * 1024, poolSize: 100, heavySlots: 50 };
const LATEST = '/api/v1/audio/latest';
const page = (n = 0) => range(MAX_PAGE_POINTS - n);
/** Twenty pages: more than the whole budget. */
const pages = (n = 0) =>
  batch(...Array.from({ length: MAX_BATCH_SIZE }, (_, i) => ranged(9000 + 20 * n + i)));

async function arrange(limits: object = {}) {
  const { db, waiting } = held();
  const service = await watched(db, { trustProxy: ['127.0.0.1'], limits: { ...LIMITS, ...limits } });
  const { bytes } = service.admission;
  const from = (caller: number, path: string, headers = {}) =>
    send(`${service.url}${path}`, { 'x-forwarded-for': `192.0.2.${caller}`, ...headers });
  return {
    ...service,
    bytes,
    from,
    /** Reads nothing of the answer but its head. */
    stalledFrom: (caller: number, path: string) =>
      stall(service.url, path, `x-forwarded-for: 192.0.2.${caller}\r\n`),
    /** Waits until this many statements have begun, and this many requests wait for bytes. */
    runs: (statements: number, requests: number) =>
      expect.poll(() => [waiting.length, bytes.waiting]).toEqual([statements, requests]),
    /** Answers all statements, now and later, until the requests are answered. */
    async answerAll(requests: readonly Promise<{ status: number | undefined }>[], points = 10) {
      const timer = setInterval(() => {
        for (const statement of waiting) statement.answer(points);
      }, 5);
      const answers = await Promise.all(requests).finally(() => clearInterval(timer));
      return answers.map(({ status }) => status);
    },
  };
}

describe('A page', () => {
  it('waits until the budget has its bytes, while small answers of other callers do not', async () => {
    const { from, runs, answerAll, bytes } = await arrange();
    const sent = [from(1, page(1)), from(1, page(2)), from(1, page(3))];
    await runs(2, 1); // one caller may have half of the budget
    sent.push(from(2, page(4)));
    await runs(3, 1);
    sent.push(from(3, page(5)));
    await runs(3, 2);
    sent.push(from(3, LATEST));
    await runs(4, 2);
    expect(await answerAll(sent)).toEqual(Array(6).fill(200));
    await expect.poll(() => bytes.running).toBe(0);
  });

  it.each([
    page(),
    '/api/v1/audio/range?from=now-1h&to=now',
    batch(['audio.range', { from: 'now-1h', to: 'now', direction: 'forward' }]),
  ])('takes as many bytes, however it is requested: %s', async (path) => {
    const { from, bytes, runs, answerAll } = await arrange();
    const sent = from(1, path);
    await runs(1, 0);
    expect(bytes.running).toBeGreaterThan(900_000);
    expect(await answerAll([sent])).toEqual([200]);
  });

  it('gets 503 with Retry-After if too many wait, on both transports', async () => {
    const { from, runs, answerAll } = await arrange({ maxWaiting: 1 });
    const sent = [from(1, page(1)), from(1, page(2)), from(2, page(3))];
    await runs(3, 0);
    sent.push(from(3, page(4)));
    await runs(3, 1);
    for (const path of [page(5), batch(ranged(9000)), batch(ranged(9000), ranged(9001))]) {
      const { status, headers, body } = await from(4, path);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(`${body}`).toContain('SERVICE_UNAVAILABLE');
    }
    expect(await answerAll(sent)).toEqual(Array(4).fill(200));
  });
});

describe('Batches', () => {
  it.each([{}, { 'trpc-accept': 'application/jsonl' }])(
    'that need more than there is never wait for each other: %o',
    async (headers) => {
      const { from, runs, answerAll, bytes } = await arrange();
      const sent = [1, 2, 3, 1, 2, 3].map((caller, n) => from(caller, pages(n), headers));
      await runs(4, 5); // four calls of the first batch
      expect(await answerAll(sent)).toEqual(Array(6).fill(200));
      await expect.poll(() => [bytes.running, bytes.waiting]).toEqual([0, 0]);
    },
  );

  it('give their bytes to the next caller when theirs has left', async () => {
    const { from, runs, answerAll, url } = await arrange();
    const leaving = new AbortController();
    const gone = [0, 1].map((n) => fetch(url + pages(n), { signal: leaving.signal }).catch(() => 'gone'));
    await runs(4, 1);
    const next = from(2, pages(2));
    await runs(4, 2);
    leaving.abort();
    expect(await Promise.all(gone)).toEqual(['gone', 'gone']);
    expect(await answerAll([next])).toEqual([200]);
  });

  it('hold the bytes of their answer until their reader has left', async () => {
    const { stalledFrom, answerAll, bytes } = await arrange();
    const slow = stalledFrom(1, pages());
    await answerAll([slow.then(() => ({ status: 200 }))], MAX_PAGE_POINTS);
    await expect.poll(() => bytes.running).toBeGreaterThan(15_000_000);
    (await slow).socket.destroy();
    await expect.poll(() => bytes.running).toBe(0);
  });

  it('are cut off if they are read slowly while another request waits for bytes', async () => {
    const slowReaders = { minReadRate: 1_000_000, patienceMs: 200, lookEveryMs: 50 };
    const { stalledFrom, from, answerAll, runs, bytes } = await arrange({ slowReaders });
    const slow = stalledFrom(1, pages());
    await answerAll([slow.then(() => ({ status: 200 }))], MAX_PAGE_POINTS);
    await expect.poll(() => bytes.running).toBeGreaterThan(15_000_000);
    const next = from(2, page());
    await runs(20, 1);
    expect(await answerAll([next])).toEqual([200]);
    const { socket, ended } = await slow;
    socket.resume();
    await ended;
  });
});
