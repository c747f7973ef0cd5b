import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseLimits } from '../../src/contract/limits.ts';
import { limitsText } from '../../src/contract/limits-text.ts';

const level = fc.integer({ min: 0, max: 99_999 }).map((hundredths) => hundredths / 100);
const options = fc.record({
  limit_db: level,
  weighting: fc.constantFrom('A' as const, 'C' as const, 'Z' as const),
  penalty_db: fc.integer({ min: 0, max: 2000 }).map((hundredths) => hundredths / 100),
  assess: fc.constantFrom(null, 'part' as const, 'hour' as const, '15m' as const),
  max_limit_db: fc.option(level),
});
const clock = (minute: number) =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

it('Limits survive their text', () => {
  const minutes = fc.uniqueArray(fc.nat({ max: 1439 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(minutes, fc.array(options, { minLength: 7, maxLength: 7 }), (cuts, rules) => {
      const sorted = cuts.toSorted((a, b) => a - b).map(clock);
      const limits = sorted.slice(1).flatMap((end, at) => {
        const rule = rules[at];
        return rule ? [{ start: sorted[at] ?? '', end, ...rule }] : [];
      });
      expect(parseLimits(limitsText(limits))).toEqual(limits);
    }),
  );
});

it.each([
  ['06-22=55', { limit_db: 55, weighting: 'A', penalty_db: 0, assess: null, max_limit_db: null }],
  ['22-06=45:3', { penalty_db: 3 }],
  ['22-06=45C:hour:max60.5:3', { weighting: 'C', penalty_db: 3, assess: 'hour', max_limit_db: 60.5 }],
  ['00-24=50Z:part', { start: '00:00', end: '00:00', weighting: 'Z', assess: 'part' }],
  ['22-06=45:15m', { assess: '15m' }],
])('%s is read', (text, limit) => {
  expect(parseLimits(text)).toMatchObject([limit]);
});

it.each([
  '22-06=45B',
  '22-06=45:',
  '22-06=45::3',
  '22-06=45:3:3',
  '22-06=45:max',
  '22-06=45:max60:max61',
  '22-06=45:21',
  '22-06=45:day',
  '22-06=45:hour:part',
  '22-06=45:-3',
  '22-06=A',
])('%s is refused', (text) => {
  expect(parseLimits(text)).toBeUndefined();
});
