import { describe, expect, it } from 'vitest';
import { compare, firstDifference } from '../../bench/compare.ts';

const answers = (ours: unknown, raw: unknown) => ({ ours: async () => ours, raw: async () => raw });

describe('compare', () => {
  it('fails if the answers differ, and names the difference', async () => {
    const pair = answers([{ time: 'a', max_db: -1 }], [{ time: 'a', max_db: -2 }]);
    await expect(compare('loud', {}, 3, pair)).rejects.toThrow(
      'loud: the answers differ: answer.0.max_db is -1, by hand -2',
    );
  });

  it('times both in turn after a warm-up, as many rounds as requested', async () => {
    const calls: string[] = [];
    const pair = {
      ours: async () => calls.push('ours') && 1,
      raw: async () => calls.push('raw') && 1,
    };
    await compare('any', {}, 2, pair);
    expect(calls).toEqual(['ours', 'raw', 'ours', 'raw', 'ours', 'raw']);
  });
});

describe('firstDifference', () => {
  it('ignores differences in the last digits of float sums', () => {
    expect(firstDifference({ avg: -33.000000000001 }, { avg: -33 })).toBeUndefined();
    expect(firstDifference({ avg: -33.0000001 }, { avg: -33 })).toBe(
      'answer.avg is -33.0000001, by hand -33',
    );
  });

  it('finds missing values, extra values and wrong types', () => {
    expect(firstDifference([1], [1, 2])).toBe('answer.1 is undefined, by hand 2');
    expect(firstDifference([1, 2], [1])).toBe('answer.1 is 2, by hand undefined');
    expect(firstDifference({ a: null }, { a: 0 })).toBe('answer.a is null, by hand 0');
    expect(firstDifference({ a: 'x' }, { a: 'x' })).toBeUndefined();
  });
});
