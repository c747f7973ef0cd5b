// The heat map of dominant frequencies: time to the right, third octaves upwards, darker for a larger share of points.
import type uPlot from 'uplot';
import type { Outputs } from '../../client/index.ts';
import { bandText, percentText, timeText } from '../locale-format.ts';
import { colour } from '../state/theme.ts';
import { texts } from '../texts/texts.ts';
import { clipped, edgesOf } from './canvas-pixels.ts';
import { middlesOf, timed } from './level-chart-data.ts';
import { createTimeChart, type TimeData } from './time-chart.ts';

export type Frequencies = Outputs['stats']['frequencies'];

/** The height of a band, in CSS pixels. */
const ROW = 3;

export interface HeatMapData extends TimeData {
  readonly frequencies: Frequencies;
}

export function createHeatMap(parent: HTMLElement, first: HeatMapData, onReading: (reading: string) => void) {
  const { bands } = first.frequencies; // the same in every answer
  const named = bands.flatMap((_, band) => (band % 6 === 1 && band + 1 < bands.length ? [band + 0.5] : []));
  return createTimeChart(parent, first, {
    height: (_, around) => bands.length * ROW + around,
    isLane: true,
    range: () => [0, bands.length],
    axis: {
      grid: { show: false },
      ticks: { show: false },
      splits: () => named,
      values: (_, splits) => splits.map((split) => bandText(bands[Math.floor(split)]?.nominal_hz)),
    },
    series: () => [],
    columns: ({ frequencies, interval }) => [middlesOf(frequencies, interval)],
    drawBelow: (chart, { frequencies }, dot) => drawMap(chart, frequencies, dot),
    onPoint(index, { frequencies: { buckets } }, chart) {
      const bucket = index === null ? undefined : buckets[index];
      const band = Math.min(Math.floor(chart.posToVal(chart.cursor.top ?? -1, 'y')), bands.length - 1);
      const isHere = chart.over.matches(':hover'); // false over the level chart, which shares the cursor
      onReading(
        isHere && bucket && bucket.point_count > 0
          ? texts.tones.reading(
              timeText(bucket.time),
              bandText(bands[band]?.nominal_hz),
              percentText(((bucket.counts[band] ?? 0) / bucket.point_count) * 100),
            )
          : '',
      );
    },
  });
}

/** Darker for a larger share of the points, visible even for a small one. */
const opacity = (share: number) => 0.15 + 0.85 * Math.sqrt(share);

function drawMap(u: uPlot, frequencies: Frequencies, dot: number): void {
  const { ctx, bbox } = u;
  clipped(u, () => {
    ctx.fillStyle = colour('--heat-none');
    ctx.fillRect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.fillStyle = colour('--heat');
    for (const bucket of timed(frequencies)) {
      const [left, right] = edgesOf(u, bucket);
      for (const [band, count] of bucket.counts.entries()) {
        if (count === 0) continue;
        ctx.globalAlpha = opacity(count / bucket.point_count);
        const [top, bottom] = [u.valToPos(band + 1, 'y', true), u.valToPos(band, 'y', true)];
        ctx.fillRect(left, top, Math.max(right - left, dot), bottom - top);
      }
    }
  });
}
