// Reads totals and counts as statements give them.
import { type Counts, FIRST_FREQUENCY, FIRST_LEVEL, type Histogram } from './histogram.ts';
import type { Totals } from './totals.ts';

/** Totals as a statement gives them: a `level_sum` may be more than a JavaScript number holds. */
export interface TotalsRow extends Omit<Totals, 'level_sum' | 'power_sum' | 'above_power_sum'> {
  readonly level_sum: string | null;
  readonly power_sum: number | null;
  readonly above_power_sum: number | null;
}

export const totalsOf = ({ level_sum, power_sum, above_power_sum, ...row }: TotalsRow): Totals => ({
  ...row,
  level_sum: BigInt(level_sum ?? 0),
  power_sum: power_sum ?? 0,
  above_power_sum: above_power_sum ?? 0,
});

/** Values, and how many points have each. The value null is of points without one. */
type ValueCounts = readonly [values: readonly (number | null)[] | null, counts: readonly number[] | null];

/** Counts as a statement gives them: by value, or as rollups hold them, an array as PostgreSQL writes it. */
export type GivenCounts = ValueCounts | string | null;

/** @param first the value that element 0 counts; an array from the database begins there */
export function countsFrom(first: number, given: GivenCounts): Counts {
  if (typeof given === 'string') return elementsOf(given);
  const [values, counts] = given ?? [null, null];
  const last = (values ?? []).reduce<number>((most, value) => Math.max(most, value ?? most), first - 1);
  const all = new Float64Array(last - first + 1);
  for (const [place, value] of (values ?? []).entries())
    if (value !== null) all[value - first] = (all[value - first] ?? 0) + (counts?.[place] ?? 0);
  return all;
}

/** A histogram as a statement gives it. */
export interface HistogramRow extends TotalsRow {
  /** In tenths of a dB. */
  readonly levels: GivenCounts;
  /** In hertz. */
  readonly frequencies: GivenCounts;
}

export const histogramOf = ({ levels, frequencies, ...row }: HistogramRow): Histogram => ({
  ...totalsOf(row),
  levels: countsFrom(FIRST_LEVEL, levels),
  frequencies: countsFrom(FIRST_FREQUENCY, frequencies),
});

const [COMMA, CLOSE, ZERO] = [44, 125, 48];

/** Reads `{0,12,3}`. A loop: a month has half a million counts, and splitting the text takes ten times as long. */
function elementsOf(text: string): Counts {
  const counts: number[] = [];
  let count = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE) {
      counts.push(count);
      count = 0;
    } else count = count * 10 + code - ZERO;
  }
  return Uint32Array.from(counts);
}
