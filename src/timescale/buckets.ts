// What is known of some points, in a form that adds up.
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

/** What is known of the points of a bucket, or of another range. */
export interface Bucket extends Totals {
  /** How many points lie at each level, by the tenth of a dB from {@link FIRST_LEVEL} on; empty where none has one. */
  readonly levels: Counts;
  /** By the hertz, from {@link FIRST_FREQUENCY} on. */
  readonly frequencies: Counts;
}

/** What the first element of an array counts: the value below the least that is allowed, so nothing. */
export const FIRST_LEVEL = FLOOR - 1; // tenths of a dB
export const FIRST_FREQUENCY = 99; // Hz

/** The columns of totals, as {@link Totals} has them. */
export const TOTALS = 'point_count, level_count, level_sum::text, min_db, max_db, power_sum, silence_count';

/** The columns of histograms, as {@link BucketRow} has them. */
export const HISTOGRAMS = 'levels::text, frequencies::text';

/** As a statement gives it: `levels` and `frequencies` as PostgreSQL writes arrays. */
export interface BucketRow extends Totals {
  readonly levels: string | null;
  readonly frequencies: string | null;
}

export function bucketOf({ levels, frequencies, ...totals }: BucketRow): Bucket {
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

/** The totals of all the points of which some have these. */
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

/** What is known of all the points of which some buckets know something. */
export function merge(buckets: readonly Bucket[]): Bucket {
  return {
    ...addUp(buckets),
    levels: sumOf(buckets.map(({ levels }) => levels)),
    frequencies: sumOf(buckets.map(({ frequencies }) => frequencies)),
  };
}

export function sumOf(all: readonly Counts[]): Counts {
  const sums = new Float64Array(all.reduce((most, { length }) => Math.max(most, length), 0));
  // loops over places: a month has half a million, and an iterator takes ten times as long
  for (const counts of all)
    for (let place = 0; place < counts.length; place++)
      sums[place] = (sums[place] as number) + (counts[place] as number);
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
