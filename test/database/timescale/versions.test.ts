import { expect, it } from 'vitest';
import { isBefore } from '../../../src/database/timescale/timescale-or-plain.ts';

it.each([
  ['2.28.0', '2.28.3', true],
  ['2.28.3', '2.28.10', true],
  ['2.28.3', '2.29', true],
  ['2.9.3', '2.28', true],
  ['2.28.3', '2.28.3', false],
  ['2.28.3', '2.28', false],
  ['2.29.0', '2.28.3', false],
  ['3.0.0-dev', '2.29.2', false],
])('TimescaleDB %s comes before %s: %s', (version, other, expected) => {
  expect(isBefore(version, other)).toBe(expected);
});
