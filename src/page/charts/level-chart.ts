// The level chart: uPlot draws the Leq line, and layers draw below and above it.
import type uPlot from 'uplot';
import { decibelText } from '../locale-format.ts';
import { RANGE_DB, type Scale } from '../state/site.ts';
import { colour } from '../state/theme.ts';
import { clipped } from './canvas-pixels.ts';
import { type ChartData, lineOf, timeAt } from './level-chart-data.ts';
import { drawBands, drawChosen, drawLane, drawLimits, drawOver, LANE } from './level-chart-layers.ts';
import { createTimeChart, type TimeChart } from './time-chart.ts';

/** The range of the axis: the levels that can be stored, plus a margin. */
const axisOf = ({ floor }: Scale): [least: number, most: number] => [floor - 2, floor + RANGE_DB + 2];

const HEIGHT = { onPaper: 190, least: 236, most: 356 };

/** @param onPoint receives the time of the position at the cursor, or null */
export function createLevelChart(
  parent: HTMLElement,
  first: ChartData,
  onPoint: (time: string | null) => void,
): TimeChart<ChartData> {
  let { scale } = first;
  return createTimeChart(parent, first, {
    height: (width) =>
      first.isOnPaper ? HEIGHT.onPaper : Math.round(Math.min(Math.max(width / 3, HEIGHT.least), HEIGHT.most)),
    lane: LANE,
    range: (data) => axisOf(data.scale),
    axis: {
      splits: () => levelTicks(scale),
      values: (_chart, ticks) => ticks.map((db) => decibelText(db).replace(/[.,]0$/, '')),
    },
    series: (enlarge) => [
      {
        stroke: () => colour('--leq'),
        width: 1.5 * enlarge,
        spanGaps: false,
        points: { show: true, size: 4 * enlarge, fill: () => colour('--leq'), filter: aloneOnes },
      },
    ],
    columns(data) {
      ({ scale } = data);
      return lineOf(data);
    },
    drawBelow(chart, data, dot) {
      drawBands(chart, data, dot);
      drawChosen(chart, data, dot);
      clipped(chart, () => drawOver(chart, data, dot));
    },
    drawAbove(chart, data, dot) {
      drawLimits(chart, data, dot);
      drawLane(chart, data, dot);
    },
    onPoint: (index, data) => onPoint(index === null ? null : (timeAt(data, index) ?? null)),
  });
}

/** Draws buckets between two gaps as dots: a line would have no length. */
function aloneOnes(u: uPlot, index: number, show: boolean): number[] | null {
  if (!show) return null;
  const values = Array.from(u.data[index] ?? []);
  return values.flatMap((value, i) =>
    value != null && values[i - 1] == null && values[i + 1] == null ? [i] : [],
  );
}

const TICK_DB = 10;

/** Round levels of the scale on screen. */
function levelTicks({ floor }: Scale): number[] {
  const ticks: number[] = [];
  for (let db = Math.ceil(floor / TICK_DB) * TICK_DB; db <= floor + RANGE_DB; db += TICK_DB) ticks.push(db);
  return ticks;
}
