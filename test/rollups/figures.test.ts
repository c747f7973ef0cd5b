import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exceededLevels, figuresOf, mostFrequent } from '../../src/rollups/figures.ts';
import {
  countsFrom,
  FIRST_FREQUENCY,
  FIRST_LEVEL,
  type Histogram,
  mergeHistograms,
} from '../../src/rollups/histogram.ts';

const point = fc.record({
  tenths: fc.option(fc.integer({ min: -500, max: 0 })),
  frequency: fc.option(fc.integer({ min: 100, max: 104 })),
  silence: fc.boolean(),
});
type Measured = typeof point extends fc.Arbitrary<infer Value> ? Value : never;

function bucketOf(points: readonly Measured[]): Histogram {
  const levels = points.flatMap(({ tenths }) => (tenths === null ? [] : [tenths / 10]));
  const values = (all: (number | null)[]) => [all, all.map(() => 1)] as const;
  const sum = levels.reduce((sum, level) => sum + BigInt(Math.round(level * 2 ** 32)), 0n);
  return {
    point_count: points.length,
    level_count: levels.length,
    level_sum: sum,
    min_db: levels.length > 0 ? Math.min(...levels) : null,
    max_db: levels.length > 0 ? Math.max(...levels) : null,
    power_sum: levels.reduce((sum, level) => sum + 10 ** (level / 10), 0),
    above_power_sum: levels.reduce((sum, level) => sum + (level > -49.95 ? 10 ** (level / 10) : 0), 0),
    silence_count: points.filter(({ silence }) => silence).length,
    under_range: points.filter(({ tenths }) => tenths === -500).length,
    over_range: points.filter(({ tenths }) => tenths === 0).length,
    gone_count: 0,
    minute_count: 0,
    levels: countsFrom(FIRST_LEVEL, values(points.map(({ tenths }) => tenths))),
    frequencies: countsFrom(FIRST_FREQUENCY, values(points.map(({ frequency }) => frequency))),
  };
}

it('are the same for all points and for any division into parts', () => {
  fc.assert(
    fc.property(fc.array(fc.array(point)), (parts) => {
      const [whole, merged] = [bucketOf(parts.flat()), mergeHistograms(parts.map(bucketOf))];
      const { leq_db, ...figures } = figuresOf(whole);
      const { leq_db: mergedLeq, ...others } = figuresOf(merged);
      expect(others).toEqual(figures);
      if (leq_db === null) expect(mergedLeq).toBeNull();
      else expect(mergedLeq).toBeCloseTo(leq_db, 9);
      const [exceeded, exceededMerged] = [exceededLevels(whole.levels), exceededLevels(merged.levels)];
      for (const percent of [1, 10, 50, 99]) expect(exceededMerged(percent)).toBe(exceeded(percent));
      expect(mostFrequent(merged.frequencies)).toBe(mostFrequent(whole.frequencies));
    }),
  );
});

it('are null if nothing has a level or a frequency', () => {
  const nothing = bucketOf([{ tenths: null, frequency: null, silence: true }]);
  expect(figuresOf(mergeHistograms([nothing, bucketOf([])]))).toEqual({
    point_count: 1,
    avg_db: null,
    max_db: null,
    min_db: null,
    leq_db: null,
    silence_percent: 100,
  });
  expect(exceededLevels(nothing.levels)(50)).toBeNull();
  expect(mostFrequent(nothing.frequencies)).toBeNull();
});

it('take the lowest of the most frequent frequencies, and the level that N % exceed', () => {
  expect(
    mostFrequent(
      countsFrom(FIRST_FREQUENCY, [
        [900, 300, null, 500],
        [1, 2, 9, 2],
      ]),
    ),
  ).toBe(300);
  const exceeded = exceededLevels(
    countsFrom(FIRST_LEVEL, [
      [-500, -100, 0],
      [10, 80, 10],
    ]),
  );
  expect([1, 10, 11, 50, 90, 91].map(exceeded)).toEqual([0, -10, -10, -10, -50, -50]);
});
