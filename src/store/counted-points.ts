// How statements count points, and how what they give becomes totals and counts.
import { sql } from '../db/drizzle.ts';
import {
  CEILING,
  type Counts,
  FIRST_FREQUENCY,
  FIRST_LEVEL,
  FLOOR,
  type Histogram,
} from '../statistics/histogram.ts';
import type { BoundedTotals, Totals } from '../statistics/totals.ts';

/** The columns of totals in rollups. */
export const TOTALS_COLUMNS = sql.raw(
  'point_count, level_count, level_sum, min_db, max_db, power_sum, above_power_sum, silence_count',
);

/** The columns of totals, as {@link TotalsRow} has them. */
export const TOTALS = sql.raw(
  'point_count, level_count, level_sum::text, min_db, max_db, power_sum, above_power_sum, silence_count',
);

/** Totals as a statement gives them: a `level_sum` may be more than a JavaScript number holds. */
export interface TotalsRow extends Omit<Totals, 'level_sum' | 'power_sum' | 'above_power_sum'> {
  readonly level_sum: string | null;
  readonly power_sum: number | null;
  readonly above_power_sum: number | null;
}

export function totalsOf(row: TotalsRow): Totals {
  const { point_count, level_count, level_sum, min_db, max_db, power_sum, above_power_sum, silence_count } =
    row;
  return {
    point_count,
    level_count,
    level_sum: BigInt(level_sum ?? 0),
    min_db,
    max_db,
    power_sum: power_sum ?? 0,
    above_power_sum: above_power_sum ?? 0,
    silence_count,
  };
}

/**
 * The totals of some points, as audio_data_totals (drizzle/0003) has them of a bucket.
 *
 * Sums of floats depend on their order. So levels add up as whole numbers of 2^-32 dB, which is exact for a real
 * below -0.002 dB: avg_db is the same in any order. The power stays a float: the last digits of leq_db may differ
 * with the pieces.
 */
export const TOTALS_OF_POINTS = sql.raw(`
      count(*) as point_count,
      count(rms_db) as level_count,
      sum((rms_db::float8 * 4294967296)::bigint) as level_sum,
      min(rms_db) as min_db,
      max(rms_db) as max_db,
      sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
      sum(power(10::float8, rms_db::float8 / 10)) filter (where (rms_db::float8 * 10)::int > ${FLOOR}) as above_power_sum,
      count(*) filter (where is_silence) as silence_count`);

export const TOTALS_OF_TOTALS = sql.raw(`
      coalesce(sum(point_count), 0) as point_count,
      coalesce(sum(level_count), 0) as level_count,
      sum(level_sum) as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      sum(above_power_sum) as above_power_sum,
      coalesce(sum(silence_count), 0) as silence_count`);

/** The level of a point in tenths of a dB. */
export const LEVEL = sql.raw('(rms_db::float8 * 10)::int');

/** What {@link BoundedTotals} has beside totals, of points. */
export const BOUNDS_OF_POINTS = sql`
      count(*) filter (where ${LEVEL} = ${sql.raw(`${FLOOR}`)}) as under_range,
      count(*) filter (where ${LEVEL} = ${sql.raw(`${CEILING}`)}) as clipped`;

export type BoundedRow = TotalsRow & Pick<BoundedTotals, 'under_range' | 'clipped'>;

export const boundedTotalsOf = ({ under_range, clipped, ...row }: BoundedRow): BoundedTotals => ({
  ...totalsOf(row),
  under_range,
  clipped,
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
