// Layers of the level chart besides the Leq line: bands, the lane of events, limits.
import type uPlot from 'uplot';
import { isAtFloor } from '../locale-format.ts';
import { colour } from '../state/theme.ts';
import { clipped, edgesOf } from './canvas-pixels.ts';
import { type ChartData, lineOf, type Series, timed } from './level-chart-data.ts';

/** The height of the lane of events above the plot, in CSS pixels. Keep style.css in step. */
export const LANE = 30;

/** Draws bands from minimum to maximum, and from L90 to L10 if known. A band is always large enough to see. */
export function drawBands(u: uPlot, { series }: ChartData, dot: number): void {
  const hasLevels = series.buckets.some(({ l90_db }) => l90_db !== null);
  const rectangles = (
    name: string,
    ends: (bucket: Series['buckets'][number]) => [number | null, number | null],
  ) => {
    u.ctx.fillStyle = colour(name);
    for (const bucket of timed(series)) {
      const [low, high] = ends(bucket);
      if (low === null || high === null) continue;
      const [left, right] = edgesOf(u, bucket);
      const [x, y] = [Math.round(left), Math.round(u.valToPos(high, 'y', true))];
      const [width, height] = [Math.round(right) - x, Math.round(u.valToPos(low, 'y', true)) - y];
      u.ctx.fillRect(x, y, Math.max(width, dot), Math.max(height, 2 * dot));
    }
  };
  clipped(u, () => {
    rectangles(hasLevels ? '--extremes' : '--band', ({ min_db, max_db }) => [min_db, max_db]);
    if (hasLevels) rectangles('--band', ({ l90_db, l10_db }) => [l90_db, l10_db]);
  });
}

/** Draws a bar above the plot for each bucket in which events start: the more events, the higher. */
export function drawLane(u: uPlot, { events }: ChartData, dot: number): void {
  if (!events) return;
  const { left, top, width } = u.bbox;
  const height = (LANE - 6) * dot;
  const floor = top - 4 * dot;
  const most = events.buckets.reduce((most, { event_count }) => Math.max(most, event_count), 1);
  u.ctx.fillStyle = colour('--grid');
  u.ctx.fillRect(left, floor, width, dot);
  u.ctx.fillStyle = colour('--event');
  for (const bucket of timed(events)) {
    if (bucket.event_count === 0) continue;
    const [start, end] = edgesOf(u, bucket);
    const x = Math.max(Math.round(start), left);
    const right = Math.min(Math.max(Math.round(end) - dot, x + 2 * dot), left + width);
    const bar = Math.round(height * (0.2 + 0.8 * Math.sqrt(bucket.event_count / most)));
    u.ctx.fillRect(x, floor - bar, right - x, bar);
  }
}

/** Tints the selected event over the height of the plot. */
export function drawChosen(u: uPlot, { chosen }: ChartData, dot: number): void {
  if (!chosen) return;
  const { top, height } = u.bbox;
  const [left, right] = edgesOf(u, { from: Date.parse(chosen.start), to: Date.parse(chosen.end) });
  clipped(u, () => {
    u.ctx.fillStyle = colour('--event-tint');
    u.ctx.fillRect(left, top, Math.max(right - left, 3 * dot), height);
  });
}

/** Fills the area between the line of levels and a limit below it. */
export function drawOver(u: uPlot, data: ChartData, dot: number): void {
  if (data.limits.length === 0) return;
  const [times, all] = lineOf(data);
  const levels = all.map((level) => (level !== null && isAtFloor(level, data.scale) ? null : level));
  const { ctx, bbox } = u;
  for (const limit of data.limits) {
    const [left, right] = edgesOf(u, limit);
    const bottom = u.valToPos(limit.db, 'y', true);
    const draw = () => {
      ctx.fillStyle = colour('--over');
      ctx.beginPath();
      for (const [index, time] of times.entries()) {
        const level = levels[index];
        if (level == null) continue;
        const x = u.valToPos(time, 'x', true);
        if (levels[index - 1] == null) ctx.moveTo(x, bottom);
        ctx.lineTo(x, u.valToPos(level, 'y', true));
        if (levels[index + 1] == null) ctx.lineTo(x, bottom);
      }
      ctx.fill();
    };
    const { top } = bbox;
    clipped(u, draw, { left, top, width: Math.max(right - left, dot), height: bottom - top });
  }
}

/** Draws the limits as dashed lines, outlined to be visible on the band. */
export function drawLimits(u: uPlot, { limits }: ChartData, dot: number): void {
  const { ctx } = u;
  const stroke = (colourName: string, width: number, dashes: readonly number[]) => {
    ctx.strokeStyle = colour(colourName);
    ctx.lineWidth = width * dot;
    ctx.setLineDash(dashes.map((length) => length * dot));
    ctx.beginPath();
    for (const limit of limits) {
      const y = Math.round(u.valToPos(limit.db, 'y', true));
      const [left, right] = edgesOf(u, limit);
      ctx.moveTo(left, y);
      ctx.lineTo(right, y);
    }
    ctx.stroke();
  };
  clipped(u, () => {
    stroke('--panel', 4, []);
    stroke('--limit', 1.5, [8, 4]);
  });
}
