import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPace, REST_MS } from '../../src/db/pace.ts';

it('lets one piece pass in each turn of the event loop, in the order in which they came', async () => {
  const pace = createPace(() => false);
  const seen: string[] = [];
  const all = Promise.all(['a', 'b', 'c'].map((name) => pace().then(() => seen.push(name))));
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

it('rests before each piece while others are busy, and no longer', async () => {
  let busy = true;
  const pace = createPace(() => busy);
  const start = performance.now();
  await Promise.all([pace(), pace()]);
  expect(performance.now() - start).toBeGreaterThanOrEqual(2 * Math.floor(REST_MS) - 1); // timers are in whole ms
  busy = false;
  const passed = pace().then(() => 'passed');
  await nextTurn();
  await nextTurn();
  expect(await Promise.race([passed, nextTurn('waits')])).toBe('passed');
});
