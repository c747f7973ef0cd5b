import { setImmediate as iteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createThrottle } from '../../src/database/export-throttle.ts';

const quiet = { isBusy: () => false, lastAnswer: () => Number.NEGATIVE_INFINITY };

it('passes one piece per iteration of the event loop, in order of arrival', async () => {
  const throttle = createThrottle(quiet);
  const seen: string[] = [];
  const all = Promise.all(['a', 'b', 'c'].map((name) => throttle(65_536, 0).then(() => seen.push(name))));
  for (let n = 0; n < 4; n++) {
    await iteration();
    seen.push('iteration');
  }
  await all;
  const pieces = seen
    .join(' ')
    .split('iteration')
    .map((text) => text.trim().split(' ').filter(Boolean));
  expect(pieces.flat()).toEqual(['a', 'b', 'c']);
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(1);
});

it.each([true, false])('pauses before a piece only while others are busy: %s', async (busy) => {
  const throttle = createThrottle({ ...quiet, isBusy: () => busy }, 1);
  const passed = throttle(10_000, 0).then(() => 'passed');
  for (let n = 0; n < 3; n++) await iteration();
  expect(await Promise.race([passed, iteration('waits')])).toBe(busy ? 'waits' : 'passed');
});

it.each([
  ['waits if an answer was sent since the export began', 50, 100, true],
  ['does not wait if the last answer was sent before the export began', 100, 50, false],
  ['does not wait if the last answer was long ago', 900, 1000, false],
])('%s', async (_, answeredAgo, beganAgo, waits) => {
  const now = performance.now();
  const throttle = createThrottle({ ...quiet, lastAnswer: () => now - answeredAgo }, 1);
  const passed = throttle(10_000, now - beganAgo).then(() => 'passed');
  for (let n = 0; n < 3; n++) await iteration();
  expect(await Promise.race([passed, iteration('waits')])).toBe(waits ? 'waits' : 'passed');
});
