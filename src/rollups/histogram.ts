// Converts and adds what statements return: totals of points, and counts by level and by frequency.
import { FLOOR_DB } from '../contract/level-unit.ts';

/** The sums of some points, such as those of a bucket. */
export interface Totals {
  readonly point_count: number;
  readonly level_count: number;
  /** The sum of the levels in units of 2^-32 dB: integers, so that the order of adding is irrelevant. */
  readonly level_sum: bigint;
  /** The lowest and the highest level; null if no point has one. */
  readonly min_db: number | null;
  readonly max_db: number | null;
  /** The sum of 10^(level / 10). Its last digits depend on the order of adding. */
  readonly power_sum: number;
  /** The same for levels above the floor: those that do not read -50.0. */
  readonly above_power_sum: number;
  readonly silence_count: number;
  /** The number of levels that round to the floor (to 0.1 dB): they may have been lower. */
  readonly under_range: number;
  /** The same for the ceiling: they may have been higher. */
  readonly over_range: number;
  /** The number of these points that only history (drizzle/0011) has. Their levels and frequencies are not counted. */
  readonly gone_count: number;
  /** The number of minutes with a point, if they were counted. */
  readonly minute_count: number;
}

const NO_POINTS: Totals = {
  point_count: 0,
  level_count: 0,
  level_sum: 0n,
  min_db: null,
  max_db: null,
  power_sum: 0,
  above_power_sum: 0,
  silence_count: 0,
  under_range: 0,
  over_range: 0,
  gone_count: 0,
  minute_count: 0,
};

export const addUp = ([first = NO_POINTS, ...others]: readonly Totals[]): Totals =>
  others.reduce(plus, first);

function plus(a: Totals, b: Totals): Totals {
  const among = (x: number | null, y: number | null, choose: (x: number, y: number) => number) =>
    x === null || y === null ? (x ?? y) : choose(x, y);
  return {
    point_count: a.point_count + b.point_count,
    level_count: a.level_count + b.level_count,
    level_sum: a.level_sum + b.level_sum,
    min_db: among(a.min_db, b.min_db, Math.min),
    max_db: among(a.max_db, b.max_db, Math.max),
    power_sum: a.power_sum + b.power_sum,
    above_power_sum: a.above_power_sum + b.above_power_sum,
    silence_count: a.silence_count + b.silence_count,
    under_range: a.under_range + b.under_range,
    over_range: a.over_range + b.over_range,
    gone_count: a.gone_count + b.gone_count,
    minute_count: a.minute_count + b.minute_count,
  };
}

export type Counts = Uint32Array | Float64Array;

/** The totals of some points, and the number of points for each level and each frequency. */
export interface Histogram extends Totals {
  /** One element per tenth of a dB from {@link FIRST_LEVEL} on. May end early if the rest is 0. */
  readonly levels: Counts;
  /** One element per hertz from {@link FIRST_FREQUENCY} on. May end early if the rest is 0. */
  readonly frequencies: Counts;
}

/** The lowest and the highest stored level, in tenths of a dB. */
export const FLOOR_TENTHS = FLOOR_DB * 10;
export const CEILING_TENTHS = 0;

/** The values that the first elements count: just below the allowed ones, so these counts are 0. */
export const FIRST_LEVEL = FLOOR_TENTHS - 1; // tenths of a dB
export const FIRST_FREQUENCY = 99; // Hz

export const mergeHistograms = (parts: readonly Histogram[]): Histogram => ({
  ...addUp(parts),
  levels: addCounts(parts.map(({ levels }) => levels)),
  frequencies: addCounts(parts.map(({ frequencies }) => frequencies)),
});

export function addCounts(all: readonly Counts[]): Counts {
  const sums = new Float64Array(all.reduce((most, { length }) => Math.max(most, length), 0));
  // loops by index: a month has half a million counts, and an iterator takes ten times as long
  for (const counts of all)
    for (let index = 0; index < counts.length; index++)
      sums[index] = (sums[index] ?? 0) + (counts[index] ?? 0);
  return sums;
}

/** @param some counts of points that `all` includes */
export function subtractCounts(all: Counts, some: Counts): Counts {
  const left = Float64Array.from(all);
  for (let index = 0; index < some.length; index++) left[index] = (left[index] ?? 0) - (some[index] ?? 0);
  return left;
}

export function countIn(counts: Counts): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** Totals as a statement returns them: a `level_sum` may exceed what a JavaScript number holds. */
export interface TotalsRow
  extends Omit<
    Totals,
    'level_sum' | 'power_sum' | 'above_power_sum' | 'over_range' | 'gone_count' | 'minute_count'
  > {
  readonly level_sum: string | null;
  readonly power_sum: number | null;
  readonly above_power_sum: number | null;
  /** The column of rollups that holds `over_range`. */
  readonly clipped: number;
  readonly gone_count?: number;
  readonly minute_count?: number;
}

/** Names each field: a rest of ten of them takes several times as long, for thousands of buckets. */
export const totalsOf = (row: TotalsRow): Totals => ({
  point_count: row.point_count,
  level_count: row.level_count,
  level_sum: BigInt(row.level_sum ?? 0),
  min_db: row.min_db,
  max_db: row.max_db,
  power_sum: row.power_sum ?? 0,
  above_power_sum: row.above_power_sum ?? 0,
  silence_count: row.silence_count,
  under_range: row.under_range,
  over_range: row.clipped,
  gone_count: row.gone_count ?? 0,
  minute_count: row.minute_count ?? 0,
});

/** Values and the number of points for each. Null is the value of points without one. */
type ValueCounts = readonly [values: readonly (number | null)[] | null, counts: readonly number[] | null];

/** Counts as a statement returns them: by value, or as rollups store them, an array in PostgreSQL's notation. */
export type GivenCounts = ValueCounts | string | null;

/** @param first the value that element 0 counts, also in an array from the database */
export function countsFrom(first: number, given: GivenCounts): Counts {
  if (typeof given === 'string') return elementsOf(given);
  const [values, counts] = given ?? [null, null];
  const last = (values ?? []).reduce<number>((most, value) => Math.max(most, value ?? most), first - 1);
  const all = new Float64Array(last - first + 1);
  for (const [index, value] of (values ?? []).entries())
    if (value !== null) all[value - first] = (all[value - first] ?? 0) + (counts?.[index] ?? 0);
  return all;
}

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
