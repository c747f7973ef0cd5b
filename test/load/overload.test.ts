import { expect, it, onTestFinished, vi } from 'vitest';
import { watchOverload } from '../../src/load/overload.ts';

/** An event loop of which the test decides how late it is; it ticks 20 times in a window. */
function watch(options: { maxEventLoopDelayMs: number; windowMs: number }) {
  let now = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const overload = watchOverload(options);
  onTestFinished(() => {
    overload.close();
    clock.mockRestore();
    vi.useRealTimers();
  });
  const tickMs = options.windowMs / 20;
  const tick = (lateMs = 0) => {
    now += tickMs + lateMs;
    vi.advanceTimersByTime(tickMs);
    return overload.isOverloaded();
  };
  return { tick };
}

it('one stall is forgotten after a few punctual ticks, long before its window is over', () => {
  const { tick } = watch({ maxEventLoopDelayMs: 100, windowMs: 2000 });
  expect([tick(2500), tick(), tick(), tick(), tick()]).toEqual([true, true, true, false, false]);
});

it('stalls that go on are overload', () => {
  const { tick } = watch({ maxEventLoopDelayMs: 100, windowMs: 500 });
  const late = Array.from({ length: 10 }, () => tick(300));
  expect(late).toEqual([false, ...Array(9).fill(true)]);
});

it('short delays are none', () => {
  const { tick } = watch({ maxEventLoopDelayMs: 1000, windowMs: 500 });
  for (let n = 0; n < 20; n++) expect(tick(100)).toBe(false);
});
