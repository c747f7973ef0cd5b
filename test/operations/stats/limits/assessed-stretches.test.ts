import { expect, it } from 'vitest';
import { type Assess, parseLimits } from '../../../../src/contract/limits.ts';
import { limitParts } from '../../../../src/operations/stats/limits/limit-parts.ts';

/** Each stretch of a limit on a day in Vienna as `from - to`, in hours and minutes UTC. */
function stretches(assess: Assess, date: string, times: string) {
  const day = { from: `2026-${date}T00:00:00.000000Z`, to: `2026-${date}T01:00:00.000000Z` };
  const [part] = limitParts(day, 'Europe/Vienna', parseLimits(`${times}=45`) ?? [], assess, 10);
  return part?.stretches?.map((each) => `${each.from.slice(11, 16)} - ${each.to.slice(11, 16)}`);
}

it('The hour before a skipped hour is full, and so is the hour after it', () => {
  expect(stretches('hour', '03-29', '00:30-04:30')).toEqual(['00:00 - 01:00', '01:00 - 02:00']);
  expect(stretches('15m', '03-29', '01:40-03:20')).toEqual(['00:45 - 01:00', '01:00 - 01:15']);
});

it('A repeated autumn hour is full twice', () => {
  expect(stretches('hour', '10-25', '02-03')).toEqual(['00:00 - 01:00', '01:00 - 02:00']);
});

it('A limit with a stretch of its own keeps it', () => {
  expect(stretches('part', '10-25', '02-03')).toBeUndefined();
  const limits = parseLimits('00-06=45:hour,06-00=50') ?? [];
  const day = { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-02T00:00:00.000000Z' };
  expect(limitParts(day, 'UTC', limits, 'part', 10).map((part) => part.stretches?.length)).toEqual([
    6,
    undefined,
  ]);
});
