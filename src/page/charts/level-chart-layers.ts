// Layers of the level chart besides the Leq line: bands, the lane of events, thresholds, limits.
import type uPlot from 'uplot';
import { isAtFloor } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { colour } from '../state/theme.ts';
import { clipped, edgesOf } from './canvas-pixels.ts';
import { bucketSeconds, type ChartData, type ListedEvent, lineOf, type Series } from './level-chart-data.ts';

/** The height of the lane of events above the plot, in CSS pixels. Keep style.css in step. */
export const LANE = 30;

/** Draws bands from minimum to maximum, and from L90 to L10 if known. A band is always large enough to see. */
export function drawBands(u: uPlot, { series }: ChartData, dot: number): void {
  const length = bucketSeconds(series.bucket) * 1000;
  const hasLevels = series.buckets.some(({ l90_db }) => l90_db !== null);
  const rectangles = (
    name: string,
    ends: (bucket: Series['buckets'][number]) => [number | null, number | null],
  ) => {
    u.ctx.fillStyle = colour(name);
    for (const bucket of series.buckets) {
      const [low, high] = ends(bucket);
      if (low === null || high === null) continue;
      const [left, right] = edgesOf(u, Date.parse(bucket.time), Date.parse(bucket.time) + length);
      fillAtLeast(u, [left, right], [u.valToPos(high, 'y', true), u.valToPos(low, 'y', true)], dot);
    }
  };
  clipped(u, () => {
    rectangles(hasLevels ? '--extremes' : '--band', ({ min_db, max_db }) => [min_db, max_db]);
    if (hasLevels) rectangles('--band', ({ l90_db, l10_db }) => [l90_db, l10_db]);
  });
}

function fillAtLeast(
  u: uPlot,
  [left, right]: [number, number],
  [top, bottom]: [number, number],
  dot: number,
): void {
  const [x, y] = [Math.round(left), Math.round(top)];
  u.ctx.fillRect(x, y, Math.max(Math.round(right) - x, dot), Math.max(Math.round(bottom) - y, 2 * dot));
}

/** Draws a bar above the plot for each bucket in which events start: the more events, the higher. */
export function drawLane(u: uPlot, { events }: ChartData, dot: number): void {
  if (!events) return;
  const { left, top, width } = u.bbox;
  const height = (LANE - 6) * dot;
  const floor = top - 4 * dot;
  const most = events.buckets.reduce((most, { event_count }) => Math.max(most, event_count), 1);
  const length = bucketSeconds(events.bucket) * 1000;
  u.ctx.fillStyle = colour('--grid');
  u.ctx.fillRect(left, floor, width, dot);
  u.ctx.fillStyle = colour('--event');
  for (const { time, event_count } of events.buckets) {
    if (event_count === 0) continue;
    const [start, end] = edgesOf(u, Date.parse(time), Date.parse(time) + length);
    const x = Math.max(Math.round(start), left);
    const right = Math.min(Math.max(Math.round(end) - dot, x + 2 * dot), left + width);
    const bar = Math.round(height * (0.2 + 0.8 * Math.sqrt(event_count / most)));
    u.ctx.fillRect(x, floor - bar, right - x, bar);
  }
}

/** Tints the selected event over the height of the plot. */
export function drawChosen(u: uPlot, { chosen }: ChartData, dot: number): void {
  if (chosen) clipped(u, () => tint(u, chosen, dot));
}

function tint(u: uPlot, { start, end }: ListedEvent, dot: number): void {
  const { top, height } = u.bbox;
  u.ctx.fillStyle = colour('--event-tint');
  const [left, right] = edgesOf(u, Date.parse(start), Date.parse(end));
  u.ctx.fillRect(left, top, Math.max(right - left, 3 * dot), height);
}

/** Draws the reader's threshold: one level, or one per bucket if it follows the background. */
export function drawThreshold(u: uPlot, { rule, isChosen, events, interval }: ChartData, dot: number): void {
  if (!isChosen) return;
  const threshold = 'threshold' in rule ? rule.threshold : null;
  const length = bucketSeconds(events?.bucket ?? '1d') * 1000;
  const ofBackground = (events?.buckets ?? []).flatMap(({ time, threshold_db }) =>
    threshold_db === null ? [] : { from: Date.parse(time), to: Date.parse(time) + length, db: threshold_db },
  );
  const steps = threshold === null ? ofBackground : [{ ...interval, db: threshold }];
  drawSteps(u, steps, '--threshold', dot, threshold === null ? [] : [2, 3]);
}

export function drawLimits(u: uPlot, { limits }: ChartData, dot: number): void {
  drawSteps(u, limits, '--limit', dot, [8, 4]);
}

/** Fills the area between the line of levels and a limit below it. */
export function drawOver(u: uPlot, data: ChartData, dot: number): void {
  if (data.limits.length === 0) return;
  const [times, all] = lineOf(data);
  const levels = all.map((level) => (level !== null && isAtFloor(level, data.scale) ? null : level));
  const { ctx, bbox } = u;
  const line = (time: number, db: number) =>
    ctx.lineTo(u.valToPos(time, 'x', true), u.valToPos(db, 'y', true));
  for (const { from, to, db } of data.limits) {
    const [left, right] = edgesOf(u, from, to);
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, Math.max(right - left, dot), u.valToPos(db, 'y', true) - bbox.top);
    ctx.clip();
    ctx.fillStyle = colour('--over');
    ctx.beginPath();
    let start: number | undefined;
    for (const [index, time] of times.entries()) {
      const level = levels[index] ?? null;
      const next = levels[index + 1] ?? null;
      if (level === null) continue;
      if (start === undefined) {
        start = time;
        ctx.moveTo(u.valToPos(time, 'x', true), u.valToPos(db, 'y', true));
      }
      line(time, level);
      if (next !== null && index + 1 < times.length) continue;
      line(time, db);
      ctx.closePath();
      start = undefined;
    }
    ctx.fill();
    ctx.restore();
  }
}

/** Draws level lines from one time to another, outlined to be visible on the band. */
function drawSteps(
  u: uPlot,
  steps: readonly (TimeSpan & { readonly db: number })[],
  name: string,
  dot: number,
  dashes: readonly number[],
): void {
  const draw = () => {
    u.ctx.beginPath();
    for (const { from, to, db } of steps) {
      const y = Math.round(u.valToPos(db, 'y', true));
      const [left, right] = edgesOf(u, from, to);
      u.ctx.moveTo(left, y);
      u.ctx.lineTo(right, y);
    }
    u.ctx.stroke();
  };
  clipped(u, () => {
    stroke(u, '--panel', 4 * dot, []);
    draw();
    stroke(
      u,
      name,
      1.5 * dot,
      dashes.map((length) => length * dot),
    );
    draw();
  });
}

/** Sets the style of lines, with `width` and `dashes` in canvas pixels. */
function stroke(u: uPlot, name: string, width: number, dashes: number[]): void {
  u.ctx.strokeStyle = colour(name);
  u.ctx.lineWidth = width;
  u.ctx.setLineDash(dashes);
}
