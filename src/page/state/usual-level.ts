// The usual level: the levels at the same time of day on the days before.
import type { Outputs } from '../../client/index.ts';
import { daysBefore, HOUR_MS, type TimeSpan } from './calendar-intervals.ts';

type Bucket = Outputs['stats']['series']['buckets'][number];

/** How many previous days count, and how many of them must have levels. */
export const DAYS = 7;
const LEAST_DAYS = 3;

const powerOf = (level: number) => 10 ** (level / 10);

/** The energy mean of equally weighted levels; null without any. */
export function energyMean(levels: readonly number[]): number | null {
  if (levels.length === 0) return null;
  return 10 * Math.log10(levels.reduce((sum, level) => sum + powerOf(level), 0) / levels.length);
}

/**
 * @param hours hourly Leq of the days before
 * @returns the median of the days' Leq at the interval's times of day; null if too few days have levels then
 */
export function usualLevel(hours: readonly Bucket[], interval: TimeSpan, timeZone: string): number | null {
  const levels = Array.from({ length: DAYS }, (_, day) => {
    const { from, to } = daysBefore(interval, day + 1, timeZone);
    const isIn = ({ time }: Bucket) => Date.parse(time) > from - HOUR_MS && Date.parse(time) < to;
    return energyMean(hours.filter(isIn).flatMap(({ leq_db }) => leq_db ?? []));
  }).filter((level) => level !== null);
  if (levels.length < LEAST_DAYS) return null;
  return levels.toSorted((a, b) => a - b)[Math.floor(levels.length / 2)] ?? null;
}
