// Layers of the level chart besides the line of Leq: the band from minimum to maximum, noise events, the threshold.
import type uPlot from 'uplot';
import type { Outputs } from '../../client/index.ts';
import type { Scale } from '../locale-format.ts';
import type { Interval } from '../state/shown-interval.ts';
import { colour } from '../state/theme.ts';
import { bucketSeconds } from './bucket-times.ts';
import { clipped, edgesOf } from './canvas-pixels.ts';

export type Series = Outputs['stats']['series'];
export type NoiseEvent = Outputs['events']['list']['events'][number];

export interface ChartData {
  readonly interval: Interval;
  readonly series: Series;
  readonly events: readonly NoiseEvent[];
  /** Whether older ones are not loaded yet. */
  readonly hasMoreEvents: boolean;
  readonly scale: Scale;
  /** Null when events are measured against the background. */
  readonly threshold: number | null;
}

/** The band: a rectangle from minimum to maximum for each bucket, always large enough to see. */
export function drawBand(u: uPlot, { series }: ChartData): void {
  const length = bucketSeconds(series.bucket) * 1000;
  const dot = devicePixelRatio;
  clipped(u, () => {
    u.ctx.fillStyle = colour('--band');
    for (const { time, min_db, max_db } of series.buckets) {
      if (min_db === null || max_db === null) continue;
      const [left, right] = edgesOf(u, Date.parse(time), Date.parse(time) + length);
      const [top, bottom] = [u.valToPos(max_db, 'y', true), u.valToPos(min_db, 'y', true)];
      const [x, y] = [Math.round(left), Math.round(top)];
      u.ctx.fillRect(x, y, Math.max(Math.round(right) - x, dot), Math.max(Math.round(bottom) - y, 2 * dot));
    }
  });
}

/** A tint over the height of the plot, and a solid bar at its top. */
export function drawEvents(u: uPlot, { events }: ChartData): void {
  const dot = devicePixelRatio;
  const { top, height } = u.bbox;
  const [tint, bar] = [colour('--event-tint'), colour('--event')];
  clipped(u, () => {
    for (const { start, end } of events) {
      const [left, right] = edgesOf(u, Date.parse(start), Date.parse(end));
      const width = Math.max(right - left, 2 * dot);
      u.ctx.fillStyle = tint;
      u.ctx.fillRect(left, top, width, height);
      u.ctx.fillStyle = bar;
      u.ctx.fillRect(left, top, width, 5 * dot);
    }
  });
}

export function drawThreshold(u: uPlot, { threshold }: ChartData): void {
  if (threshold === null) return;
  const y = Math.round(u.valToPos(threshold, 'y', true));
  const dot = devicePixelRatio;
  const line = (colour: string, width: number, dashes: number[]) => {
    u.ctx.strokeStyle = colour;
    u.ctx.lineWidth = width * dot;
    u.ctx.setLineDash(dashes);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
  };
  clipped(u, () => {
    line(colour('--panel'), 4, []); // outlines it on the band
    line(colour('--threshold'), 1.5, [6 * dot, 4 * dot]);
  });
}
