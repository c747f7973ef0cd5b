// The totals and histograms of some points, such as those of a bucket, and their sums.
import { FLOOR_DB } from '../contract/point.ts';

/** The sums of some points, as drizzle/0003 and 0005 store them for a bucket. */
export interface Totals {
  readonly point_count: number;
  readonly level_count: number;
  /** A whole number of 2^-32 dB, which a number may not hold. */
  readonly level_sum: string | bigint | null;
  readonly min_db: number | null;
  readonly max_db: number | null;
  readonly power_sum: number | null;
  readonly silence_count: number;
}

export type Counts = Uint32Array | Float64Array;

/** The lowest level that is stored, in tenths of a dB. */
export const FLOOR = FLOOR_DB * 10;

/** The totals of some points, and how many of them have each level and each frequency. */
export interface HistogramTotals extends Totals {
  /** How many points have each level, by the tenth of a dB from {@link FIRST_LEVEL} on; empty if none has a level. */
  readonly levels: Counts;
  /** How many points have each frequency, by the hertz from {@link FIRST_FREQUENCY} on; empty if none has one. */
  readonly frequencies: Counts;
}

/** The values that the first elements count: those just below what is allowed, so these elements are 0. */
export const FIRST_LEVEL = FLOOR - 1; // tenths of a dB
export const FIRST_FREQUENCY = 99; // Hz

/** The columns of totals, as {@link Totals} has them. */
export const TOTALS = 'point_count, level_count, level_sum::text, min_db, max_db, power_sum, silence_count';

/** The columns of histograms, as {@link HistogramTotalsRow} has them. */
export const HISTOGRAMS = 'levels::text, frequencies::text';

/** The same as a statement gives it: `levels` and `frequencies` as PostgreSQL writes arrays. */
export interface HistogramTotalsRow extends Totals {
  readonly levels: string | null;
  readonly frequencies: string | null;
}

export function histogramTotalsOf({ levels, frequencies, ...totals }: HistogramTotalsRow): HistogramTotals {
  return { ...totals, levels: countsOf(levels), frequencies: countsOf(frequencies) };
}

const NO_POINTS: Totals = {
  point_count: 0,
  level_count: 0,
  level_sum: null,
  min_db: null,
  max_db: null,
  power_sum: null,
  silence_count: 0,
};

/** The totals of all points, from the totals of each part of them. */
export function addUp(parts: readonly Totals[]): Totals {
  return parts.reduce(plus, NO_POINTS);
}

function plus(a: Totals, b: Totals): Totals {
  if (a.point_count === 0) return b;
  if (b.point_count === 0) return a;
  const among = (x: number | null, y: number | null, choose: (x: number, y: number) => number) =>
    x === null || y === null ? (x ?? y) : choose(x, y);
  return {
    point_count: a.point_count + b.point_count,
    level_count: a.level_count + b.level_count,
    level_sum: BigInt(a.level_sum ?? 0) + BigInt(b.level_sum ?? 0),
    min_db: among(a.min_db, b.min_db, Math.min),
    max_db: among(a.max_db, b.max_db, Math.max),
    power_sum: among(a.power_sum, b.power_sum, (x, y) => x + y),
    silence_count: a.silence_count + b.silence_count,
  };
}

/** The same with their histograms. */
export function mergeTotals(parts: readonly HistogramTotals[]): HistogramTotals {
  return {
    ...addUp(parts),
    levels: sumOf(parts.map(({ levels }) => levels)),
    frequencies: sumOf(parts.map(({ frequencies }) => frequencies)),
  };
}

export function sumOf(all: readonly Counts[]): Counts {
  const sums = new Float64Array(all.reduce((most, { length }) => Math.max(most, length), 0));
  // loops by index: a month has half a million counts, and an iterator takes ten times as long
  for (const counts of all)
    for (let place = 0; place < counts.length; place++)
      sums[place] = (sums[place] ?? 0) + (counts[place] ?? 0);
  return sums;
}

const [COMMA, CLOSE, ZERO] = [44, 125, 48];

/** Reads an array as PostgreSQL writes it, `{0,12,3}`; null is empty. */
export function countsOf(text: string | null): Uint32Array {
  const counts: number[] = [];
  let count = 0;
  for (let at = 1; text !== null && at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE) {
      counts.push(count);
      count = 0;
    } else count = count * 10 + code - ZERO;
  }
  return Uint32Array.from(counts);
}
