import { expect, it } from 'vitest';
import { durationBetween, parseDuration } from '../../src/contract/instant.ts';

it.each([
  ['500ms', 500],
  ['0s', 0],
  ['1.005s', 1005],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  ['366d', 31_622_400_000],
])('%s is a length of %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(['', '10', '10 m', '-1m', '+1m', '1w', '1e3s', '.5s', '0.5ms', '1.2345s', '1h30m', 'NaNs'])(
  'refuses %j as a length',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

it('includes both ends of a range, and names them', () => {
  const { allowed, parse } = durationBetween('1m', '1d');
  expect(['59999ms', '1m', '24h', '1441m'].map(parse)).toEqual([undefined, 60_000, 86_400_000, undefined]);
  expect(allowed).toBe('a length of time from 1m to 1d, in ms, s, m, h or d');
});
