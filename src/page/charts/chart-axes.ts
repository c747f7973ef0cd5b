// The axes of the level chart: their ranges, and the size and the texts of their labels.
import uPlot from 'uplot';
import { timeText } from '../locale-format.ts';
import { DAY_MS } from '../state/calendar-intervals.ts';
import { RANGE_DB, timeZone } from '../state/site.ts';
import type { ChartData } from './level-chart-data.ts';

/** The font size relative to the usual one. It grows with the reader's font size and on large screens. */
export const fontScale = () => Number.parseFloat(getComputedStyle(document.body).fontSize) / 15;

/** The largest step between ticks, in seconds, whose labels name weekdays. */
const MOST_WEEKDAY_STEP = (14 * DAY_MS) / 1000;

/** Labels ticks with days or clock times. The first clock time and each midnight have the date below. */
export function timeTicks(_: unknown, ticks: number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return ticks.map((seconds, index) => {
    const at = uPlot.tzDate(new Date(seconds * 1000), timeZone());
    const isMidnight = at.getHours() + at.getMinutes() + at.getSeconds() === 0;
    if (step > MOST_WEEKDAY_STEP) return timeText(seconds * 1000, 'day');
    const day = timeText(seconds * 1000, 'day of week');
    if (step >= DAY_MS / 1000) return day.replace(', ', '\n');
    const clock = timeText(seconds * 1000, step < 60 ? 'seconds' : 'clock');
    return index === 0 || isMidnight ? `${clock}\n${day}` : clock;
  });
}

const TICK_DB = 10;
/** The axis ends at multiples of this. */
const END_DB = 5;
/** Maxima this far above all levels are triangles at the top. */
const MOST_ABOVE_DB = 15;

/** From 5 dB below the lowest L90 or limit to the loudest point, within the levels that can be stored. */
export function levelRange(data: ChartData): [least: number, most: number] {
  const { steps, limits, parts, scale } = data;
  const known = (levels: readonly (number | null)[]) => levels.filter((level) => level !== null);
  const buckets = steps.flatMap(({ bucket }) => bucket ?? []);
  const levels = known(steps.map(({ level }) => level));
  const lines = [...limits.map(({ db }) => db), ...parts.map(({ db }) => db), ...levels];
  const low = [...lines, ...known(buckets.map(({ l90_db, min_db }) => l90_db ?? min_db))];
  const high = [...lines, ...known(buckets.map(({ l10_db }) => l10_db))];
  const top = Math.max(...high);
  const loudest = Math.max(top, ...known(buckets.map(({ max_db }) => max_db)));
  const [least, most] = [scale.floor, scale.floor + RANGE_DB];
  if (high.length === 0) return [least, most];
  const end = Math.ceil((Math.min(loudest, top + MOST_ABOVE_DB) + 2) / END_DB) * END_DB;
  const begin = Math.floor((Math.min(...low) - 5) / END_DB) * END_DB;
  return [Math.max(begin, Math.min(least, ...low) - 2), Math.max(Math.min(end, most + 2), top + 2)];
}

/** Round levels of the scale on screen. */
export function levelTicks([least, most]: readonly [number, number]): number[] {
  const step = most - least < 3 * TICK_DB ? TICK_DB / 2 : TICK_DB;
  const first = Math.ceil(least / step);
  return Array.from({ length: Math.floor(most / step) - first + 1 }, (_, index) => (first + index) * step);
}
