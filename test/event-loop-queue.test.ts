import { setImmediate as iteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nextIteration } from '../src/event-loop-queue.ts';

it('each iteration of the event loop runs one piece of long work, round-robin over the workers', async () => {
  const pieces: string[] = [];
  const work = async (name: string) => {
    for (let n = 0; n < 3; n++) {
      await nextIteration();
      pieces.push(`${name}${n}`);
    }
  };
  const workers = [work('a'), work('b')];
  const seen: number[] = [];
  for (let n = 0; n < 7; n++) {
    await iteration();
    seen.push(pieces.length);
  }
  await Promise.all(workers);
  expect(pieces).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  for (const [n, count] of seen.entries()) expect(count - (seen[n - 1] ?? 0)).toBeLessThanOrEqual(1);
});
