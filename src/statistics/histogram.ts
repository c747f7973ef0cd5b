// Counts of points by level and by frequency, which add up over any pieces of time.
import { FLOOR_DB } from '../contract/point.ts';
import { addUp, type Totals } from './totals.ts';

export type Counts = Uint32Array | Float64Array;

/** The totals of some points, and how many of them have each level and each frequency. */
export interface Histogram extends Totals {
  /** By the tenth of a dB from {@link FIRST_LEVEL} on. May end early, where the rest is 0. */
  readonly levels: Counts;
  /** By the hertz from {@link FIRST_FREQUENCY} on. May end early, where the rest is 0. */
  readonly frequencies: Counts;
}

/** The lowest and the highest level that are stored, in tenths of a dB. */
export const FLOOR = FLOOR_DB * 10;
export const CEILING = 0;

/** The values that the first elements count: those just below what is allowed, so these elements are 0. */
export const FIRST_LEVEL = FLOOR - 1; // tenths of a dB
export const FIRST_FREQUENCY = 99; // Hz

/** The histogram of all points, from the histogram of each part of them. */
export function mergeHistograms(parts: readonly Histogram[]): Histogram {
  return {
    ...addUp(parts),
    levels: addCounts(parts.map(({ levels }) => levels)),
    frequencies: addCounts(parts.map(({ frequencies }) => frequencies)),
  };
}

export function addCounts(all: readonly Counts[]): Counts {
  const sums = new Float64Array(all.reduce((most, { length }) => Math.max(most, length), 0));
  // loops by index: a month has half a million counts, and an iterator takes ten times as long
  for (const counts of all)
    for (let place = 0; place < counts.length; place++)
      sums[place] = (sums[place] ?? 0) + (counts[place] ?? 0);
  return sums;
}

/** How many points there are in all. */
export function countIn(counts: Counts): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
