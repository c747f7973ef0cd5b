import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { unlessAborted } from '../src/signal.ts';

describe('Work that may be left', () => {
  it('gives what it gives, and listens no longer', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    expect(await unlessAborted(Promise.resolve(7), undefined)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('fails with the reason at once, also where that came before, and listens no longer', async () => {
    const ending = new AbortController();
    const left = unlessAborted(new Promise(() => {}), ending.signal);
    ending.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(unlessAborted(Promise.resolve(7), ending.signal)).rejects.toThrow('left');
    expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  });
});
