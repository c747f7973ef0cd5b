import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { Ending, type Signal } from '../src/signal.ts';

const nodes = new AbortController();
const own = new Ending();

it.each<[string, Signal, (reason: Error) => void]>([
  ["Node's signal", nodes.signal, (reason) => nodes.abort(reason)],
  ['ours', own, (reason) => own.abort(reason)],
])('%s tells each listener once, and why', (_, signal, abort) => {
  const [told, dropped, late] = [vi.fn(), vi.fn(), vi.fn()];
  signal.addEventListener('abort', told);
  signal.addEventListener('abort', told);
  signal.addEventListener('abort', dropped);
  signal.removeEventListener('abort', dropped);
  signal.throwIfAborted();
  expect(signal.aborted).toBe(false);
  const reason = new Error('Why');
  abort(reason);
  abort(new Error('Another'));
  signal.addEventListener('abort', late);
  expect([told, dropped, late].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
  expect([signal.aborted, signal.reason]).toEqual([true, reason]);
  expect(() => signal.throwIfAborted()).toThrow(reason);
});

it('an ending lets go of its listeners, and of all that they hold', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ending = new Ending();
  const listen = () => {
    const held = { large: true };
    ending.addEventListener('abort', () => void held);
    return new WeakRef(held);
  };
  const held = listen();
  await turnOfTheLoop();
  collect();
  expect(held.deref()).toEqual({ large: true });
  ending.abort(new Error('The caller has left'));
  await turnOfTheLoop();
  collect();
  expect(held.deref()).toBeUndefined();
});
