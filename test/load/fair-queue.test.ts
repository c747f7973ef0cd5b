import { describe, expect, it } from 'vitest';
import { FairQueue, type FairQueueOptions, type Leave } from '../../src/load/fair-queue.ts';

const TOO_MANY = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The service is busy: too many requests are waiting',
};
const LATE = { code: 'SERVICE_UNAVAILABLE', message: 'The service is busy: no slot became free in time' };

/** `entered` lists callers in the order they got slots. `enter('a')` queues caller a; `leave` frees the oldest slot. */
function arrange(options: Partial<FairQueueOptions> = {}) {
  const queue = new FairQueue({ slots: 1, maxWaiting: 100, maxWaitMs: 3_600_000, ...options });
  const entered: string[] = [];
  const held: Leave[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    queue,
    entered,
    held,
    async enter(caller: string, name = caller, slots = 1, signal = new AbortController().signal) {
      held.push(await queue.enter(caller, signal, slots));
      entered.push(name);
    },
    async leave() {
      held.shift()?.();
      await settle();
    },
    settle,
  };
}

describe('slots', () => {
  it('go to callers in turn, however much one caller requests', async () => {
    const { entered, enter, leave, settle } = arrange();
    for (let i = 1; i <= 4; i++) enter('greedy', `greedy ${i}`);
    for (const name of ['b', 'c']) enter(name);
    await settle();
    for (let i = 0; i < 5; i++) await leave();
    expect(entered).toEqual(['greedy 1', 'greedy 2', 'b', 'c', 'greedy 3', 'greedy 4']);
  });

  it('are separate for each server, and counted together', async () => {
    const { queue, entered, enter, settle } = arrange();
    for (const name of ['a', 'b']) enter(name);
    const other = queue.of('worker');
    const leave = await other.enter('a', new AbortController().signal);
    await settle();
    expect([entered, other.running, queue.running, queue.waiting]).toEqual([['a'], 1, 1, 1]);
    expect([queue.total('running'), queue.total('waiting')]).toEqual([2, 1]);
    leave();
    expect([queue.of('worker').running, queue.waiting, queue.of(undefined)]).toEqual([0, 1, queue]);
  });

  it('become free again if a caller leaves at the moment of its entry', async () => {
    const { queue } = arrange();
    for (const isFree of [true, false]) {
      const leave = isFree ? () => {} : await queue.enter('a', new AbortController().signal);
      const leaving = new AbortController();
      const held = queue.hold('b', leaving.signal);
      leave(); // b enters now, and resumes later
      leaving.abort();
      await held;
      expect(queue.running).toBe(0);
    }
  });

  it('go first to the caller with the fewest', async () => {
    const { entered, enter, leave, settle } = arrange({ slots: 3 });
    for (let i = 1; i <= 4; i++) enter('a', `a ${i}`);
    enter('b');
    await settle();
    await leave();
    expect(entered).toEqual(['a 1', 'a 2', 'a 3', 'b']);
  });

  it('go to one caller only up to its share', async () => {
    const { queue, entered, enter, leave, settle } = arrange({ slots: 3, slotsPerCaller: 2 });
    for (let i = 1; i <= 3; i++) enter('a', `a ${i}`);
    await settle();
    expect([entered, queue.running]).toEqual([['a 1', 'a 2'], 2]);
    await enter('b');
    await leave();
    expect(entered).toEqual(['a 1', 'a 2', 'b', 'a 3']);
  });
});

describe('A caller that waits for a slot', () => {
  it('is refused if it already holds a fifth of the queue', async () => {
    const { queue, entered, enter, leave } = arrange({ maxWaiting: 10 });
    await enter('a', 'in');
    const waiting = [enter('a', 'first'), enter('a', 'second')];
    await expect(enter('a', 'third')).rejects.toMatchObject(TOO_MANY);
    waiting.push(enter('b'));
    for (let i = 0; i < 3; i++) await leave();
    await Promise.all(waiting);
    expect([entered, queue.refused]).toEqual([['in', 'first', 'b', 'second'], 1]);
  });

  it('is refused if no slot becomes free in time', async () => {
    const { queue, enter } = arrange({ maxWaitMs: 20 });
    await enter('a');
    await expect(enter('b')).rejects.toMatchObject(LATE);
    expect([queue.waiting, queue.running, queue.refused]).toEqual([0, 1, 1]);
  });

  it('may leave, and does not count as refused', async () => {
    const { queue, enter, leave } = arrange();
    await enter('a');
    const leaving = new AbortController();
    const waiting = enter('b', 'b', 1, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(enter('c', 'c', 1, leaving.signal)).rejects.toThrow('gone');
    expect([queue.waiting, queue.refused]).toEqual([0, 0]);
    await leave();
    await enter('d');
    expect(queue.running).toBe(1);
  });
});

describe('A request for several slots', () => {
  it('gets them all at once, and is passed by requests for fewer meanwhile', async () => {
    const { queue, entered, enter, leave, settle } = arrange({ slots: 4 });
    enter('a', 'two', 2);
    enter('b', 'one', 1);
    enter('c', 'three', 3);
    enter('d', 'another', 1);
    await settle();
    expect([entered, queue.running, queue.waiting]).toEqual([['two', 'one', 'another'], 4, 1]);
    await leave();
    expect([queue.running, queue.waiting]).toEqual([2, 1]);
    await leave();
    expect([entered, queue.running]).toEqual([['two', 'one', 'another', 'three'], 4]);
  });

  it('gets the share of a caller if it wants more', async () => {
    const { queue, enter } = arrange({ slots: 4, slotsPerCaller: 3 });
    await enter('a', 'a', 100);
    expect(queue.running).toBe(3);
  });

  it('may give some back, or hold more than it took', async () => {
    const { queue, entered, enter, held, settle } = arrange({ slots: 4 });
    await enter('a', 'a', 4);
    enter('b', 'b', 2);
    await settle();
    held[0]?.(3);
    await settle();
    expect([entered, queue.running]).toEqual([['a'], 3]);
    held[0]?.(2);
    await settle();
    expect([entered, queue.running]).toEqual([['a', 'b'], 4]);
    held[1]?.(5);
    expect(queue.running).toBe(7);
    for (const leave of held) leave();
    expect(queue.running).toBe(0);
  });
});

describe('The reserve', () => {
  const options = { slots: 4, reserve: 2, reservePerCaller: 1 };

  it('serves callers that hold little, even before others that wait', async () => {
    const { queue, entered, enter, settle } = arrange(options);
    for (const caller of ['a', 'b']) enter(caller, caller, 4);
    for (const caller of ['c', 'c', 'd']) enter(caller);
    await settle();
    expect([entered, queue.running, queue.waiting]).toEqual([['a', 'c', 'd'], 6, 2]);
  });

  it('is limited, and goes to the first that waits', async () => {
    const { entered, enter, held, settle } = arrange(options);
    enter('a', 'a', 4);
    for (const caller of ['b', 'c', 'd']) enter(caller);
    await settle();
    expect(entered).toEqual(['a', 'b', 'c']);
    held[1]?.();
    await settle();
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });
});
