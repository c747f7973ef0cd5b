// The level chart: the line of Leq by uPlot, and the layers below and above it.
import type uPlot from 'uplot';
import { levelText, type Scale } from '../locale-format.ts';
import { colour } from '../state/theme.ts';
import { middlesOf } from './bucket-times.ts';
import { type ChartData, drawBand, drawEvents, drawThreshold } from './level-chart-layers.ts';
import { createTimeChart, type TimeChart } from './time-chart.ts';

/** The range of the axis: the levels that a recorder stores, and a margin. */
export const [LEAST_DB, MOST_DB] = [-52, 2];

const HEIGHT = { least: 280, most: 420 };

/** @param onPoint receives the time of the bucket at the cursor, or null */
export function createLevelChart(
  parent: HTMLElement,
  first: ChartData,
  onPoint: (time: string | null) => void,
): TimeChart<ChartData> {
  let { scale } = first;
  return createTimeChart(parent, first, {
    height: (width) =>
      Math.round(Math.min(Math.max(width / 3, HEIGHT.least), Math.max(HEIGHT.most, innerHeight * 0.38))),
    range: [LEAST_DB, MOST_DB],
    axis: { values: (_, ticks) => ticks.map((db) => levelTick(db, scale)) },
    series: [
      {
        stroke: () => colour('--leq'),
        width: 1.5,
        spanGaps: false,
        points: { show: true, size: 4, fill: () => colour('--leq'), filter: aloneOnes },
      },
    ],
    columns(data) {
      ({ scale } = data);
      const { series, interval } = data;
      return [middlesOf(series, interval), series.buckets.map(({ leq_db }) => leq_db)];
    },
    drawBelow(chart, data) {
      drawEvents(chart, data);
      drawBand(chart, data);
    },
    drawAbove: drawThreshold,
    onPoint: (bucket, { series: { buckets } }) =>
      onPoint(bucket === null ? null : (buckets[bucket]?.time ?? null)),
  });
}

/** Buckets between two gaps are drawn as dots: a line would have no length. */
function aloneOnes(u: uPlot, place: number, show: boolean): number[] | null {
  if (!show) return null;
  const values = Array.from(u.data[place] ?? []);
  return values.flatMap((value, i) =>
    value != null && values[i - 1] == null && values[i + 1] == null ? [i] : [],
  );
}

const levelTick = (db: number, scale: Scale) =>
  db > 0 || db < -50 ? '' : levelText(db, scale).replace(/[.,]0$/, '');
