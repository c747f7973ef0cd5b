import { expect, it } from 'vitest';
import { parseLimits } from '../../../../src/contract/limits.ts';
import { limitParts } from '../../../../src/operations/stats/limits/limit-parts.ts';

/** Each part as `limit from - to`, without the year and the seconds. */
function parts(text: string, zone: string, from: string, to: string) {
  const full = (instant: string) => `2026-${instant}:00.000000Z`;
  const limits = parseLimits(text) ?? [];
  const found = limitParts({ from: full(from), to: full(to) }, zone, limits, 'part', 100);
  return found.map((part) => `${part.limit} ${part.from.slice(5, 16)} - ${part.to.slice(5, 16)}`);
}

it('splits at midnight only once per night, and leaves out hours without a limit', () => {
  expect(parts('07-19=55,22:30-06=45', 'Europe/Vienna', '01-01T12:00', '01-03T00:00')).toEqual([
    '0 01-01T06:00 - 01-01T18:00',
    '1 01-01T21:30 - 01-02T05:00',
    '0 01-02T06:00 - 01-02T18:00',
    '1 01-02T21:30 - 01-03T05:00',
  ]);
});

it('begins in the night before, and ends at the start of the next part', () => {
  expect(parts('06-22=55,22-06=45', 'UTC', '01-01T03:00', '01-01T22:00')).toEqual([
    '1 12-31T22:00 - 01-01T06:00',
    '0 01-01T06:00 - 01-01T22:00',
  ]);
});

it('has a part for each day if a limit applies all day', () => {
  expect(parts('00-24=50', 'Asia/Kathmandu', '01-01T00:00', '01-02T00:00')).toEqual([
    '0 12-31T18:15 - 01-01T18:15',
    '0 01-01T18:15 - 01-02T18:15',
  ]);
});

it('has shorter or longer parts if clocks change', () => {
  expect(parts('22-06=45', 'Europe/Vienna', '03-28T12:00', '03-29T12:00')).toEqual([
    '0 03-28T21:00 - 03-29T04:00',
  ]);
  expect(parts('22-06=45', 'Europe/Vienna', '10-24T12:00', '10-25T12:00')).toEqual([
    '0 10-24T20:00 - 10-25T05:00',
  ]);
  // spring skips 02:00 to 03:00; in autumn the part starts when clocks first show 02:00
  expect(parts('02-03=45', 'Europe/Vienna', '03-28T12:00', '03-29T12:00')).toEqual([]);
  expect(parts('02-03=45', 'Europe/Vienna', '10-24T12:00', '10-25T12:00')).toEqual([
    '0 10-25T00:00 - 10-25T02:00',
  ]);
});

it('has no parts if no limit applies in the interval', () => {
  expect(parts('02-03=45', 'UTC', '01-01T12:00', '01-01T13:00')).toEqual([]);
});
