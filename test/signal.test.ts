import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { unlessAborted } from '../src/signal.ts';

describe('Abortable work', () => {
  it('resolves with its result, and removes its listener', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    expect(await unlessAborted(Promise.resolve(7), undefined)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason at once, even if aborted before, and removes its listener', async () => {
    const ending = new AbortController();
    const left = unlessAborted(new Promise(() => {}), ending.signal);
    ending.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(unlessAborted(Promise.resolve(7), ending.signal)).rejects.toThrow('left');
    expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  });
});
