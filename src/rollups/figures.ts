// Defines the figures of some points from values that add up: totals, and counts by level and by frequency.
import type { SummaryOutput } from '../operations/stats/summary/contract.ts';
import { type Counts, FIRST_FREQUENCY, FIRST_LEVEL, type Histogram, type Totals } from './histogram.ts';

export function figuresOf(totals: Totals) {
  const { point_count, level_count, level_sum, min_db, max_db, power_sum, silence_count } = totals;
  // A `real` that reads -10.2 adds up as -10.19999981: if all levels equal it, their mean would exceed the maximum. So
  // the mean is clamped to the levels as they are written.
  const mean = (figure: number) => Math.max(Math.min(figure, max_db ?? 0), min_db ?? 0);
  const has = level_count > 0;
  return {
    point_count,
    avg_db: has ? mean(Number(level_sum) / 2 ** 32 / level_count) : null,
    max_db,
    min_db,
    leq_db: has ? mean(10 * Math.log10(power_sum / level_count)) : null,
    silence_percent: point_count > 0 ? (100 * silence_count) / point_count : null,
  };
}

/**
 * Leq in which levels that read -50.0, the floor, count as zero. Anything below the floor is stored as the floor, so
 * the true Leq lies between this value and `leq_db`.
 *
 * @returns null if no level is above the floor
 */
export function lowestLeq(totals: Totals): number | null {
  const { level_count, above_power_sum } = totals;
  const { leq_db } = figuresOf(totals);
  if (leq_db === null || above_power_sum === 0) return null;
  return Math.min(10 * Math.log10(above_power_sum / level_count), leq_db);
}

/**
 * L_N, the level exceeded N % of the time: the smallest level that at least 100 - N % of the levels do not exceed.
 *
 * @returns a function from N to L_N, to a tenth of a dB; null if there is no level
 */
export function exceededLevels(levels: Counts): (percent: number) => number | null {
  const reached: number[] = [];
  let total = 0;
  for (const count of levels) {
    total += count;
    reached.push(total);
  }
  return (percent) => {
    if (total === 0) return null;
    const index = reached.findIndex((count) => count > 0 && count * 100 >= total * (100 - percent));
    return (FIRST_LEVEL + index) / 10;
  };
}

/** @returns the most frequent frequency, the lowest among equals; null if no point has one */
export function mostFrequent(frequencies: Counts): number | null {
  let [most, at] = [0, -1];
  for (let index = 0; index < frequencies.length; index++) {
    const count = frequencies[index] ?? 0;
    if (count > most) [most, at] = [count, index];
  }
  return at < 0 ? null : FIRST_FREQUENCY + at;
}

export type Statistics = Omit<
  SummaryOutput,
  'period' | 'from' | 'to' | 'scale' | 'overload_percent' | 'excluded_seconds'
>;

export function statisticsOf(histogram: Histogram): Statistics {
  const isKnown = histogram.gone_count === 0;
  const exceeded = exceededLevels(isKnown ? histogram.levels : new Uint32Array());
  return {
    ...figuresOf(histogram),
    leq_low_db: lowestLeq(histogram),
    l1_db: exceeded(1),
    l5_db: exceeded(5),
    l10_db: exceeded(10),
    l50_db: exceeded(50),
    l90_db: exceeded(90),
    l95_db: exceeded(95),
    l99_db: exceeded(99),
    dominant_frequency_hz: isKnown ? mostFrequent(histogram.frequencies) : null,
  };
}
