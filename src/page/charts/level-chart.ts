// The level chart: layers draw levels as steps, against limits, and uPlot provides the axes and the cursor.
import { decibelText } from '../locale-format.ts';
import { RANGE_DB } from '../state/site.ts';
import { colour } from '../state/theme.ts';
import { type ChartData, lineOf, timeAt } from './level-chart-data.ts';
import { drawGround, drawLines } from './level-chart-layers.ts';
import { createTimeChart, type TimeChart } from './time-chart.ts';

const HEIGHT = { onPaper: 190, least: 176, most: 340 };

/** @param onPoint receives the time of the position at the cursor, or null */
export function createLevelChart(
  parent: HTMLElement,
  first: ChartData,
  onPoint: (time: string | null) => void,
): TimeChart<ChartData> {
  let axis = axisOf(first);
  return createTimeChart(parent, first, {
    height: (width) =>
      first.isOnPaper
        ? HEIGHT.onPaper
        : Math.round(Math.min(Math.max(width / 3.2, HEIGHT.least), HEIGHT.most)),
    range: () => axis,
    axis: {
      splits: () => levelTicks(axis),
      values: (_chart, ticks) => ticks.map((db) => decibelText(db).replace(/[.,]0$/, '')),
    },
    // only for the cursor: a layer draws the steps
    series: () => [{ stroke: () => colour('--leq'), paths: () => null, points: { show: false } }],
    columns(data) {
      axis = axisOf(data);
      return lineOf(data);
    },
    drawBelow: drawGround,
    drawAbove: drawLines,
    onPoint: (index, data) => onPoint(index === null ? null : (timeAt(data, index) ?? null)),
  });
}

const TICK_DB = 10;
/** The axis ends at multiples of this. */
const END_DB = 5;
/** Maxima this far above all levels are triangles at the top. */
const MOST_ABOVE_DB = 15;

/** From 5 dB below the lowest L90 or limit to the loudest point, within the levels that can be stored. */
function axisOf(data: ChartData): [least: number, most: number] {
  const { series, points, limits, parts, scale } = data;
  const known = (levels: readonly (number | null)[]) => levels.filter((level) => level !== null);
  const buckets = points ? [] : series.buckets;
  const lines = [...limits.map(({ db }) => db), ...parts.map(({ db }) => db), ...known(lineOf(data)[1])];
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
function levelTicks([least, most]: readonly [number, number]): number[] {
  const step = most - least < 3 * TICK_DB ? TICK_DB / 2 : TICK_DB;
  const first = Math.ceil(least / step);
  return Array.from({ length: Math.floor(most / step) - first + 1 }, (_, index) => (first + index) * step);
}
