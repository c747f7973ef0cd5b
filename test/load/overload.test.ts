import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type OverloadOptions, watchOverload } from '../../src/load/overload.ts';

function watch(options: OverloadOptions) {
  const overload = watchOverload(options);
  onTestFinished(overload.close);
  return overload;
}

function stall(ms: number) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('one stall is forgotten after a few punctual ticks, long before its window is over', async () => {
  const { isOverloaded } = watch({ maxEventLoopDelayMs: 100, windowMs: 2000 });
  stall(2500);
  await sleep(1);
  expect(isOverloaded()).toBe(true);
  let turns = 0;
  const timer = setInterval(() => turns++, 50);
  await expect
    .poll(isOverloaded, { interval: 10 })
    .toBe(false)
    .finally(() => clearInterval(timer));
  expect(turns).toBeLessThan(30); // of 40 in another window, however late they are
});

it('stalls that go on are overload', async () => {
  const { isOverloaded } = watch({ maxEventLoopDelayMs: 100, windowMs: 500 });
  for (let n = 0; n < 10; n++) {
    stall(300);
    await sleep(1);
  }
  expect(isOverloaded()).toBe(true);
});

it('short delays are none', async () => {
  const { isOverloaded } = watch({ maxEventLoopDelayMs: 1000, windowMs: 500 });
  for (let n = 0; n < 5; n++) {
    stall(100);
    await sleep(1);
    expect(isOverloaded()).toBe(false);
  }
});
