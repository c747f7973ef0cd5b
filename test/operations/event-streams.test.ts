// The slot and the lifetime of an event stream.
import { expect, it } from 'vitest';
import { createAdmission } from '../../src/load/admission.ts';
import { holdStream } from '../../src/operations/event-streams.ts';
import { contextWith } from './context.ts';

it('opens nothing, and holds no slot, for a listener that leaves at the moment of its entry', async () => {
  for (const isLate of [false, true]) {
    const admission = createAdmission({});
    const { light, streams } = admission;
    const leaving = new AbortController();
    light.onEntered = () => isLate && leaving.abort(new Error('left'));
    const opened = holdStream(contextWith({ admission, signal: leaving.signal }), light, async (ending) => {
      ending.throwIfAborted();
      expect.unreachable();
    });
    if (!isLate) leaving.abort(new Error('left'));
    await expect(opened).rejects.toThrow('left');
    expect([light.running, streams.running]).toEqual([0, 0]);
  }
});
