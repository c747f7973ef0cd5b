// Writes levels as PostgreSQL does: in the fewest digits that read as the same `real`.
//
// Of those the nearest, as in "Ryu: fast float-to-string conversion" (Adams, 2018), which PostgreSQL follows.
import { phraseOf, putPhrase, putThree, putWhole } from './byte-writer.ts';

/** Levels are whole numbers of 10^-9 dB here: doubles compute with those below exactly. */
const DECIMALS = 9;
const POWERS = Float64Array.from({ length: DECIMALS + 1 }, (_, n) => 10 ** n);
const UNITS = 10 ** DECIMALS;

/** Between these, two neighbouring reals are more than a unit apart, and the whole part has two digits. */
const [LEAST, LIMIT] = [2 ** -6, 64];

/** Half the distance of a real to its neighbours in units, by its exponent: 23 bits follow the first. */
const REACH = Float64Array.from({ length: 256 }, (_, exponent) => 2 ** (exponent - 127 - 24) * UNITS);

const FLOAT = new Float32Array(1);
const BITS = new Int32Array(FLOAT.buffer);

/** Like `-1.1754944e-38`. */
export const LONGEST_LEVEL = 15;

const [ZERO, MINUS, DOT] = [phraseOf('0'), phraseOf('-'), phraseOf('.')];

/**
 * Writes a level.
 *
 * @param bits those of a `real`
 * @returns where the next write begins
 */
export function putLevel(text: DataView, start: number, bits: number): number {
  BITS[0] = bits;
  const level = FLOAT[0] ?? 0;
  const size = Math.abs(level);
  if (size === 0) return putPhrase(text, start, ZERO); // without a sign; frequent where the sound is clipped
  if (!(size >= LEAST && size < LIMIT)) return putPhrase(text, start, phraseOf(realText(level)));
  const exact = size * UNITS;
  // nearer to the neighbour below a power of two, but those within the limits have few decimals and are written whole
  const reach = REACH[(bits >>> 23) & 255] ?? 0;
  let decimals = isWithin(exact, 1, reach) ? 1 : 6;
  while (!isWithin(exact, decimals, reach)) decimals++;
  while (decimals > 0 && isWithin(exact, decimals - 1, reach)) decimals--;
  const rounded = roundHalfEven(exact / (POWERS[DECIMALS - decimals] ?? 1));
  return putDecimal(text, level < 0 ? putPhrase(text, start, MINUS) : start, rounded, decimals);
}

/** Whether so many decimals read as the same real. */
function isWithin(exact: number, decimals: number, reach: number): boolean {
  const power = POWERS[DECIMALS - decimals] ?? 1;
  return Math.abs(Math.round(exact / power) * power - exact) < reach;
}

function roundHalfEven(number: number): number {
  const rounded = Math.round(number);
  return rounded - number === 0.5 && rounded % 2 === 1 ? rounded - 1 : rounded;
}

/** @param number of 10^-decimals */
function putDecimal(text: DataView, start: number, number: number, decimals: number): number {
  const power = POWERS[decimals] ?? 1;
  const whole = Math.floor(number / power);
  const at = putWhole(text, start, whole);
  if (decimals === 0) return at;
  const end = putPhrase(text, at, DOT) + decimals;
  let rest = (number - whole * power) * (POWERS[DECIMALS - decimals] ?? 1); // of nine decimals
  for (let place = end - decimals; place < end; place += 3) {
    const millionths = Math.floor(rest / 1e6);
    putThree(text, place, millionths); // zeros at the end lie beyond it
    rest = (rest - millionths * 1e6) * 1000;
  }
  return end;
}

/** Enough for every real. */
const MOST_DIGITS = 9;

/**
 * Any real but zero: with an exponent below 0.0001 and from a million on.
 *
 * @throws where it is no number
 */
function realText(real: number): string {
  if (!Number.isFinite(real)) throw new RangeError('A level is not a number');
  const size = Math.abs(real);
  const sign = real < 0 ? '-' : '';
  const [least, most] = readAs(size);
  const [digits = '', exponent] = size.toExponential(100).replace('.', '').split('e');
  for (let count = 1; count <= MOST_DIGITS; count++) {
    const [head, rest] = [Number(digits.slice(0, count)), digits.slice(count)];
    const isHalf = /^50*$/.test(rest);
    const up = isHalf ? head % 2 : Number(rest >= '5');
    // the nearest, or the other one: below a power of two less is read as it than above
    for (const number of [head + up, head + 1 - up]) {
      const value = Number(`${number}e${Number(exponent) - count + 1}`);
      if (value > least && value < most) return sign + written(value);
    }
  }
  throw new RangeError(`${real} is not a real`);
}

/** @returns the bounds, exclusive, of what reads as a real: half way to its neighbours */
function readAs(size: number): [least: number, most: number] {
  FLOAT[0] = size;
  const bits = BITS[0] ?? 0;
  BITS[0] = bits - 1;
  const least = (size + (FLOAT[0] ?? 0)) / 2;
  BITS[0] = bits + 1;
  const next = FLOAT[0] ?? 0;
  return [least, next === Number.POSITIVE_INFINITY ? 2 * size - least : (size + next) / 2];
}

/** @param value of so few digits that JavaScript writes exactly these */
function written(value: number): string {
  if (value >= 1e-4 && value < 1e6) return String(value);
  return value.toExponential().replace(/([+-])(\d)$/, '$10$2');
}
