// The sums of some points, which add up over any pieces of time.

/** The sums of some points, such as those of a bucket. */
export interface Totals {
  readonly point_count: number;
  readonly level_count: number;
  /** Of the levels, in 2^-32 dB: whole numbers, so that the order of adding changes nothing. */
  readonly level_sum: bigint;
  /** The lowest and the highest level; null if no point has one. */
  readonly min_db: number | null;
  readonly max_db: number | null;
  /** Of 10^(level / 10). Its last digits depend on the order of adding. */
  readonly power_sum: number;
  /** The same of the levels above the floor: those that do not read -50.0. */
  readonly above_power_sum: number;
  readonly silence_count: number;
  /** How many levels lie at the floor when they are rounded to 0.1 dB: they may have been lower. */
  readonly under_range: number;
  /** The same at the ceiling: they may have been higher. */
  readonly clipped: number;
}

export const NO_POINTS: Totals = {
  point_count: 0,
  level_count: 0,
  level_sum: 0n,
  min_db: null,
  max_db: null,
  power_sum: 0,
  above_power_sum: 0,
  silence_count: 0,
  under_range: 0,
  clipped: 0,
};

/** The totals of all points, from the totals of each part of them. */
export function addUp(parts: readonly Totals[]): Totals {
  return parts.reduce(plus, NO_POINTS);
}

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
    clipped: a.clipped + b.clipped,
  };
}
