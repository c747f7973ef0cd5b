import { describe, expect, it } from 'vitest';
import { LONGEST_LEVEL, putLevel } from '../../src/points/level-text.ts';
import { engineOfWire, openForAll } from '../engines.ts';

const FLOAT = new Float32Array(1);
const BITS = new Int32Array(FLOAT.buffer);

function bitsOf(real: number): number {
  FLOAT[0] = real;
  return BITS[0] ?? 0;
}

function realOf(bits: number): number {
  BITS[0] = bits;
  return FLOAT[0] ?? 0;
}

const SIGN = 1 << 31;
const room = Buffer.alloc(64);
const view = new DataView(room.buffer, room.byteOffset, room.length);
const written = (bits: number) => room.toString('latin1', 0, putLevel(view, 0, bits));

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
/** A real and its neighbours. */
const around = (real: number, reach: number) => times(2 * reach + 1, (n) => bitsOf(real) - reach + n);

/** Levels by their bits. */
const LEVELS: Record<string, number[]> = {
  'any bits of a level': times(8000, () => SIGN | Math.floor(Math.random() * bitsOf(50))),
  'any bits of a real': times(4000, () => Math.floor(Math.random() * 2 ** 32) | 0),
  'levels spread evenly': times(5000, () => bitsOf(-50 * Math.random())),
  'tenths, hundredths and fifths of those': [10, 100, 500].flatMap((part) =>
    times(50 * part + 1, (n) => bitsOf(-n / part)),
  ),
  'half way between two of eight digits': times(5000, (n) => bitsOf(-(4 * n + (n % 4)) / 2 ** 10)),
  'powers of two and their neighbours': times(255, (exponent) => exponent).flatMap((exponent) =>
    times(7, (n) => SIGN | Math.max(1, (exponent << 23) + n - 3)),
  ),
  'the smallest there are': times(3000, (n) => SIGN | (n + 1)),
  'those where the exponent begins': [-1e-4, -1e-5, -1e-3].flatMap((real) => around(real, 500)),
  'those where the fast way begins and ends': [-(2 ** -6), -64, -50].flatMap((real) => around(real, 500)),
  'those above zero, and long ones': [1, 49.99, 999_999.94, 1e6, 123_456.79, 3.4028235e38].flatMap((real) =>
    times(30, (n) => bitsOf(real) - n),
  ),
};

describe('putLevel', () => {
  const test = openForAll(() => engineOfWire().open());

  it.each(Object.keys(LEVELS))('writes %s as PostgreSQL does', async (name) => {
    const all = (LEVELS[name] ?? []).filter((bits) => Number.isFinite(realOf(bits)) && realOf(bits) !== 0);
    for (let from = 0; from < all.length; from += 20_000) {
      const bits = all.slice(from, from + 20_000);
      const rows = await test.sql(
        'select (real::float4)::text as text from unnest($1::text[]) with ordinality as given(real, n) order by n',
        [bits.map((each) => String(realOf(each)))],
      );
      const wrong = bits
        .map((each, n) => ({ real: realOf(each), text: written(each), wanted: rows?.[n]?.text }))
        .filter(({ text, wanted }) => text !== wanted);
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(Math.max(...bits.map((each) => written(each).length))).toBeLessThanOrEqual(LONGEST_LEVEL);
    }
  });

  it('writes zero without a sign', () => {
    expect([written(bitsOf(0)), written(bitsOf(-0))]).toEqual(['0', '0']);
  });
});
