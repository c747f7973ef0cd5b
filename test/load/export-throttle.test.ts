import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createThrottle } from '../../src/load/export-throttle.ts';

it('lets one piece pass in each turn of the event loop, in the order in which they came', async () => {
  const throttle = createThrottle(() => false);
  const seen: string[] = [];
  const all = Promise.all(['a', 'b', 'c'].map((name) => throttle(65_536).then(() => seen.push(name))));
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    seen.push('turn');
  }
  await all;
  const pieces = seen
    .join(' ')
    .split('turn')
    .map((text) => text.trim().split(' ').filter(Boolean));
  expect(pieces.flat()).toEqual(['a', 'b', 'c']);
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(1);
});

it('rests before each piece while others are busy, by its bytes, and no longer', async () => {
  let busy = true;
  const throttle = createThrottle(() => busy, 0.001);
  const start = performance.now();
  await Promise.all([throttle(10_000), throttle(30_000)]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(39); // timers end up to a millisecond early
  busy = false;
  const passed = throttle(1_000_000).then(() => 'passed');
  await nextTurn();
  await nextTurn();
  expect(await Promise.race([passed, nextTurn('waits')])).toBe('passed');
});
