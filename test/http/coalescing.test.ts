import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { Watcher } from '../../src/http/request-accounting.ts';
import { POINT, ROW } from '../rows.ts';
import { open, send } from './raw.ts';
import { held, serviceOn } from './service-on.ts';

describe('identical requests in flight', () => {
  let tick = Date.parse('2026-03-01T12:00:00.000Z');
  let { db, waiting } = held();
  /** The answers that each service shares. */
  let shared: { readonly shared: number }[] = [];
  afterEach(() => {
    ({ db, waiting } = held());
    shared = [];
  });
  function listen() {
    const limits = { heavySlots: 10, poolSize: 40 }; // so that no request waits for a slot
    const watch: Watcher = (_, { answers }) => void shared.push(answers);
    return serviceOn(db, { limits, clock: () => tick++, watchers: [watch] });
  }
  /** The number of calls that wait, each for its own query or for a shared one. */
  const calls = () => shared.reduce((sum, answers) => sum + answers.shared, waiting.length);
  /** Sends requests of `more` calls, and waits for all calls: the database has then received exactly `queries` queries. */
  async function start(url: string, paths: string[], queries: number, more = paths.length) {
    const before = calls();
    const answers = paths.map((path) => send(`${url}${path}`));
    await expect.poll(calls).toBe(before + more);
    expect(waiting).toHaveLength(queries);
    return answers;
  }

  /** Answers the database's queries until all requests are done: statistics send several queries in sequence. */
  async function answerAll<Answer>(answers: readonly Promise<Answer>[], points?: number): Promise<Answer[]> {
    const timer = setInterval(() => {
      for (const { answer } of waiting) answer(points);
    }, 5);
    return Promise.all(answers).finally(() => clearInterval(timer));
  }

  it('share one query, and keep their own request ids', async () => {
    const url = await listen();
    const answers = await start(url, Array(50).fill('/api/v1/audio/latest?limit=1'), 1);
    waiting[0]?.answer();
    const all = await Promise.all(answers);
    for (const { status, body } of all)
      expect([status, JSON.parse(`${body}`)]).toEqual([200, { points: [POINT] }]);
    expect(new Set(all.map(({ headers }) => headers['x-request-id'])).size).toBe(50);
  });

  it('share one answer even if the input is relative to now', async () => {
    const url = await listen();
    const answers = await start(url, Array(20).fill('/api/v1/stats/summary?period=1m'), 1);
    const windows = (await answerAll(answers)).map(({ body }) => JSON.parse(`${body}`));
    expect(new Set(windows.map(({ from, to }) => `${from} ${to}`)).size).toBe(1);
    expect(Date.parse(windows[0].to) - Date.parse(windows[0].from)).toBe(60_000);
  });

  it('are shared across the two transports', async () => {
    const url = await listen();
    const input = encodeURIComponent('{"limit":1}');
    const paths = [
      '/api/v1/audio/latest?limit=1',
      `/trpc/audio.latest?input=${input}`,
      `/trpc/audio.latest,audio.latest?batch=1&input=${encodeURIComponent('{"0":{"limit":1},"1":{"limit":1}}')}`,
    ];
    const answers = await start(url, paths, 1, 4);
    waiting[0]?.answer();
    const [rest, rpc, batch] = (await Promise.all(answers)).map(({ body }) => JSON.parse(`${body}`));
    const points = [POINT];
    expect([rest, rpc.result.data]).toEqual([{ points }, { points }]);
    expect(batch.map((one: { result: { data: unknown } }) => one.result.data)).toEqual([
      { points },
      { points },
    ]);
  });

  it('share an error, but each caller gets its own request id', async () => {
    const url = await listen();
    const answers = await start(url, Array(5).fill('/api/v1/audio/latest?limit=1'), 1);
    waiting[0]?.fail(new AppError('GATEWAY_TIMEOUT', 'The query took longer than allowed'));
    const all = await Promise.all(answers);
    for (const { status, headers, body } of all) {
      const problem = JSON.parse(`${body}`);
      expect([status, problem.code, problem.request_id]).toEqual([
        504,
        'GATEWAY_TIMEOUT',
        headers['x-request-id'],
      ]);
    }
    expect(new Set(all.map(({ headers }) => headers['x-request-id'])).size).toBe(5);
  });

  it('stop sharing once they are answered: the next request runs a new query', async () => {
    const url = await listen();
    const path = '/api/v1/audio/latest?limit=1';
    const [first] = await start(url, [path], 1);
    waiting[0]?.answer();
    expect((await first)?.status).toBe(200);
    const [next] = await start(url, [path], 2);
    waiting[1]?.fail(new Error('once'));
    expect((await next)?.status).toBe(500);
    const [last] = await start(url, [path], 3);
    waiting[2]?.answer();
    expect((await last)?.status).toBe(200);
  });

  it('share nothing if the inputs, operations or services differ', async () => {
    const url = await listen();
    const other = await listen();
    const paths = [
      '/api/v1/audio/latest?limit=1',
      '/api/v1/audio/latest?limit=2',
      '/api/v1/events/loud?limit=1',
      '/api/v1/stats/summary?to=2026-01-01T00:00:00Z',
      '/api/v1/stats/summary?to=2026-01-01T00:00:00.000001Z',
      '/api/v1/health/ready',
      '/api/v1/health/ready',
    ];
    const answers = await start(url, paths, paths.length);
    const elsewhere = await start(other, ['/api/v1/audio/latest?limit=1'], paths.length + 1);
    for (const { status } of await answerAll([...answers, ...elsewhere], 2)) expect(status).toBe(200);
  });

  it('do not share exports, because every reader has its own pace', async () => {
    let starts = 0;
    db = {
      ...db,
      async *copyOut() {
        starts++;
        yield ROW;
      },
    };
    const url = `${await listen()}/api/v1/export/csv?from=now-1h&to=now`;
    const answers = await Promise.all([open(url), open(url)]);
    expect(starts).toBe(2);
    for (const answer of answers) answer.resume();
  });
});
