import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from '../../src/db/turns.ts';

it('come one after the other, in the order in which they were asked for', async () => {
  const turn = createTurns();
  const seen: string[] = [];
  const take = async (name: string) => {
    const end = await turn();
    seen.push(`${name} begins`);
    await sleep(5);
    seen.push(`${name} ends`);
    end();
    end(); // twice is once
  };
  await Promise.all(['a', 'b', 'c'].map(take));
  expect(seen).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

it('end by themselves when whoever has one is kept waiting', async () => {
  const turn = createTurns();
  await turn();
  const waited = turn().then(() => 'next');
  expect(await Promise.race([waited, sleep(30_000, 'stuck', { ref: false })])).toBe('next');
});
