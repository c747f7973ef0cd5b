import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { Ending, type Signal, unlessAborted } from '../src/signal.ts';

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

describe('Work that may be left', () => {
  it('gives what it gives, and listens no longer', async () => {
    const ending = new Ending();
    let listeners = 0;
    const signal: Signal = {
      aborted: false,
      reason: undefined,
      throwIfAborted() {},
      addEventListener: () => listeners++,
      removeEventListener: () => listeners--,
    };
    expect(await unlessAborted(Promise.resolve(7), ending)).toBe(7);
    expect(await unlessAborted(Promise.resolve(7), undefined)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(listeners).toBe(0);
  });

  it('fails with the reason at once, also where that came before', async () => {
    const ending = new Ending();
    const left = unlessAborted(new Promise(() => {}), ending);
    ending.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(unlessAborted(Promise.resolve(7), ending)).rejects.toThrow('left');
  });
});
