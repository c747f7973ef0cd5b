import { expect, it } from 'vitest';
import { readNewest } from '../../src/points/search-back.ts';

const NOW = '2026-11-20T00:00:00.000000Z';
const DAY_MS = 86_400_000;

/** @returns how many days back each read went, for points at a constant rate that ended some days ago */
async function daysRead(wanted: number, { perDay, until, most = Number.POSITIVE_INFINITY }: Recorded) {
  const days: number[] = [];
  await readNewest({ from: null, to: NOW }, NOW, wanted, async ({ from }) => {
    const back = (Date.parse(NOW) - Date.parse(from)) / DAY_MS;
    days.push(back);
    return { count: Math.min(wanted, most, Math.max(0, Math.floor((back - until) * perDay))) };
  });
  return days;
}

interface Recorded {
  readonly perDay: number;
  readonly until: number;
  readonly most?: number;
}

it.each<[string, number, Recorded, number[]]>([
  ['one day, if it holds enough', 100, { perDay: 86_400, until: 0 }, [1]],
  ['as many days as should hold enough', 1000, { perDay: 100, until: 0 }, [1, 20]],
  ['ever further, up to the last points', 100, { perDay: 86_400, until: 40 }, [1, 2, 8, 64]],
])('The newest points are read from %s', async (_, wanted, recorded, days) => {
  expect(await daysRead(wanted, recorded)).toEqual(days);
});

it('A table with too few points takes seven reads', async () => {
  const days = await daysRead(1001, { perDay: 86_400, until: 10, most: 600 });
  expect(days).toHaveLength(7);
});
