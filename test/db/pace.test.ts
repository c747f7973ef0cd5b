import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPace } from '../../src/db/pace.ts';

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

it('waits while others are busy', async () => {
  const end = performance.now() + 5;
  let asked = 0;
  await createPace(() => ++asked > 0 && performance.now() < end)();
  expect(performance.now()).toBeGreaterThanOrEqual(end);
  expect(asked).toBeLessThan(10); // it sleeps in between
});

it('does not wait for ever', async () => {
  let asked = 0;
  await createPace(() => ++asked > 0)();
  expect(asked).toBe(10);
});
