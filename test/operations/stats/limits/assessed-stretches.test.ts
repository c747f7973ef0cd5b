import { expect, it } from 'vitest';
import type { Assess } from '../../../../src/contract/limits.ts';
import { assessedStretches } from '../../../../src/operations/stats/limits/limit-parts.ts';

/** Each stretch as `from - to`, in hours and minutes. */
function stretches(assess: Assess, zone: string, from: string, to: string) {
  const full = (instant: string) => `2026-${instant}:00.000000Z`;
  const [found = []] =
    assessedStretches([{ from: full(from), to: full(to) }], zone, assess, full('12-31T00:00')) ?? [];
  return found.map((each) => `${each.from.slice(11, 16)} - ${each.to.slice(11, 16)}`);
}

it('The hour before a skipped hour is full, and so is the hour after it', () => {
  expect(stretches('hour', 'Europe/Vienna', '03-28T23:30', '03-29T02:30')).toEqual([
    '00:00 - 01:00',
    '01:00 - 02:00',
  ]);
  expect(stretches('15m', 'Europe/Vienna', '03-29T00:40', '03-29T01:20')).toEqual([
    '00:45 - 01:00',
    '01:00 - 01:15',
  ]);
});

it('A repeated autumn hour is full twice', () => {
  expect(stretches('hour', 'Europe/Vienna', '10-25T00:00', '10-25T02:00')).toEqual([
    '00:00 - 01:00',
    '01:00 - 02:00',
  ]);
});
