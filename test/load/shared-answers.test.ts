import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/load/fair-queue.ts';
import { SharedAnswers } from '../../src/load/shared-answers.ts';

/** `finish` resolves answers. `request('a', 'x')` asks for x as caller a; the second result makes the caller leave. */
function arrange(options: { limitMs?: number; areKept?: boolean } = {}) {
  const answers = new SharedAnswers<string>(options);
  const queue = new FairQueue({ slots: 1, maxWaiting: 10, maxWaitMs: 3_600_000 });
  const begun: { key: string; answer: PromiseWithResolvers<string>; signal: { aborted: boolean } }[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    answers,
    queue,
    begun,
    keys: () => begun.map(({ key }) => key),
    settle,
    request(caller: string, key: string) {
      const leaving = new AbortController();
      const requested = answers.get({
        key,
        caller,
        queue,
        answer: (signal) => {
          const answer = Promise.withResolvers<string>();
          signal.addEventListener('abort', () => answer.reject(signal.reason));
          begun.push({ key, answer, signal });
          return answer.promise;
        },
        signal: leaving.signal,
      });
      return [requested, () => leaving.abort(new Error(`${caller} has left`))] as const;
    },
    async finish(at: number, text = 'answer') {
      await settle();
      begun[at]?.answer.resolve(text);
      await settle();
    },
  };
}

describe('Callers with equal queries', () => {
  it('each hold a position in the queue, and the earliest one counts', async () => {
    const { request, finish, keys, queue, settle } = arrange();
    const flood = ['first', 'x'].map((key) => request('flooder', key)[0]);
    const other = request('other', 'y')[0];
    const mine = request('me', 'x')[0];
    await settle();
    expect([keys(), queue.waiting]).toEqual([['first'], 3]);
    await finish(0);
    expect(keys()).toEqual(['first', 'x']); // no caller holds a slot, and the flooder requested x first
    expect(queue.waiting).toBe(1);
    await finish(1, 'x is answered');
    expect(await mine).toBe('x is answered');
    await finish(2);
    await Promise.all([...flood, other]);
  });

  it('are refused one by one, and the others keep waiting', async () => {
    const { request, finish, queue } = arrange();
    const flood = ['first', '1', '2'].map((key) => request('a', key)[0]);
    const waiting = request('b', 'x')[0];
    await expect(request('a', 'x')[0]).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(queue.refused).toBe(1);
    for (let at = 0; at < 4; at++) await finish(at);
    expect(await Promise.all([...flood, waiting])).toEqual(Array(4).fill('answer'));
  });

  it('share one position in the queue if they are the same caller', async () => {
    const { request, finish, queue } = arrange();
    const requested = ['first', ...Array(50).fill('x')].map((key) => request('a', key)[0]);
    expect(queue.waiting).toBe(1);
    for (let at = 0; at < 2; at++) await finish(at);
    expect(await Promise.all(requested)).toEqual(Array(51).fill('answer'));
  });
});

describe('an answer', () => {
  it('becomes an error if it throws synchronously, and frees its slot', async () => {
    const { answers, queue } = arrange();
    for (let i = 0; i < 2; i++) {
      const requested = answers.get({
        key: 'x',
        caller: 'a',
        queue,
        answer: () => {
          throw new Error('at once');
        },
        signal: new AbortController().signal,
      });
      await expect(requested).rejects.toThrow('at once');
      expect(queue.running).toBe(0);
    }
  });

  it("leaves no listener on its caller's signal, because the caller may send more requests", async () => {
    const { answers, queue } = arrange();
    const { signal } = new AbortController();
    await answers.get({ key: 'x', caller: 'a', queue, answer: async () => 'answer', signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('becomes an error if it takes too long, and frees its slot', async () => {
    const { request, queue, answers } = arrange({ limitMs: 20 });
    await expect(request('a', 'x')[0]).rejects.toMatchObject({
      code: 'GATEWAY_TIMEOUT',
      message: 'The query took longer than allowed',
    });
    expect([queue.running, answers.abandoned]).toEqual([0, 0]);
  });

  it('can be kept for later requests until it is forgotten, and needs no queue', async () => {
    const { request, finish, keys, answers, settle } = arrange({ areKept: true });
    const [first] = request('a', 'x');
    await finish(0, 'one');
    expect([await first, await request('b', 'x')[0], keys()]).toEqual(['one', 'one', ['x']]);
    answers.forget();
    expect(await answers.get({ key: 'x', answer: async () => 'two' })).toBe('two');
    expect(await request('b', 'x')[0]).toBe('two');
    answers.forget();
    const [gone, leave] = request('a', 'x');
    await settle();
    answers.forget();
    leave();
    await expect(gone).rejects.toThrow('a has left');
    expect([keys(), answers.abandoned]).toEqual([['x', 'x'], 1]);
  });
});
