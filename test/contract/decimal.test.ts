import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDecimals } from '../../src/contract/decimal.ts';

it.each([
  ['-7.22', '95', '87.78'],
  ['-50', '95.5', '45.5'],
  ['-0.012345679', '0.01', '-0.002345679'],
  ['0', '-0', '0'],
  ['-7.2e-05', '95', '94.999928'],
  ['1e3', '0.5', '1000.5'],
  ['-45.5', '45.50', '0'],
])('%s + %s is %s', (a, b, sum) => {
  expect(addDecimals(a, b)).toBe(sum);
});

it('subtracting an added value returns the original level', () => {
  const level = fc.float({ min: -50, max: 0, noNaN: true }).map((real) => real + 0);
  const offset = fc.integer({ min: -200_000, max: 300_000 }).map((thousandths) => thousandths / 1000);
  fc.assert(
    fc.property(level, offset, (real, db) => {
      const shown = addDecimals(String(real), String(db));
      expect(Number(addDecimals(shown, String(-db)))).toBe(real);
    }),
  );
});

it('refuses strings that are not a decimal', () => {
  expect(() => addDecimals('1,5', '0')).toThrow('1,5 is not a decimal');
});
