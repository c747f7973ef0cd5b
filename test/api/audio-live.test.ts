import { expect, it } from 'vitest';
import { openStream } from '../../src/api/audio-live.ts';
import { LiveInput } from '../../src/contract/live.ts';
import { createAdmission } from '../../src/load/admission.ts';
import { contextWith } from './context.ts';

const ID = '2026-01-01T00:00:00.123456Z~100~00f1e2d3c4b5a697';

it.each([
  [{}, false, false],
  [{ from: 'now-1m' }, false, true],
  [{ lastEventId: ID }, false, true],
  [{ lastEventId: ID }, true, false],
  [{ from: 'now-1m', lastEventId: ID }, true, false],
])('a stream from %j whose event is kept: %s is heavy: %s', async (input, isKept, isHeavy) => {
  const admission = createAdmission({});
  const open = async () => {
    const { light, heavy } = admission;
    expect([light.running, heavy.running]).toEqual(isHeavy ? [0, 1] : [1, 0]);
    throw new Error('opened');
  };
  const live = { open, canResume: (id: string) => id === ID && isKept };
  const opened = openStream(contextWith({ admission, live }), LiveInput.parse(input));
  await expect(opened).rejects.toThrow('opened');
});
