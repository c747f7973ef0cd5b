// Layers of the level chart, from the ground of the nights to the hatch over time without levels.
import type uPlot from 'uplot';
import { isAtFloor } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { colour } from '../state/theme.ts';
import { fontScale } from './chart-axes.ts';
import type { ChartData } from './level-chart-data.ts';

/** Below the lines: nights, the spread from L90 to L10, and levels over a limit. */
export function drawGround(u: uPlot, data: ChartData, dot: number): void {
  const { top, height } = u.bbox;
  const { steps, nights, limits, scale } = data;
  clipped(u, () => {
    for (const night of nights) fill(u, '--night', night, [top, top + height], dot);
    for (const { bucket, ...step } of steps) {
      const [low, high] = [bucket?.l90_db ?? bucket?.min_db, bucket?.l10_db ?? bucket?.max_db];
      if (low != null && high != null) fill(u, '--band', step, [yOf(u, high), yOf(u, low)], dot);
    }
    let next = 0; // steps and limits are in order of time
    for (const { level, from, to } of steps) {
      while ((limits[next]?.to ?? to) <= from) next++;
      for (let index = next; ; index++) {
        const limit = limits[index];
        if (!limit || limit.from >= to) break;
        if (level === null || level <= limit.db || isAtFloor(level, scale)) continue;
        const over = { from: Math.max(from, limit.from), to: Math.min(to, limit.to) };
        fill(u, '--over', over, [yOf(u, level), yOf(u, limit.db)], dot);
      }
    }
  });
}

/** The lines: levels with the loudest second of each bucket, limits, levels of whole parts; and time without levels. */
export function drawLines(u: uPlot, data: ChartData, dot: number): void {
  const { steps, limits, parts, blanks } = data;
  const levels = steps.flatMap(({ level: db, from, to }) => (db === null ? [] : [{ from, to, db }]));
  clipped(u, () => {
    strokeSteps(u, levels, { name: '--leq', width: 1.5 * dot });
    strokeSteps(u, limits, { name: '--panel', width: 4 * dot });
    strokeSteps(u, limits, { name: '--limit', width: 1.5 * dot, dashes: [5 * dot, 3 * dot] });
    for (const part of parts) {
      strokeSteps(u, [part], { name: '--panel', width: 5 * dot });
      strokeSteps(u, [part], { name: part.isOver ? '--over' : '--leq', width: 2.5 * dot });
    }
    for (const blank of blanks) drawBlank(u, blank, dot);
    drawLoudest(u, data, dot); // a lone point may lie between two gaps
  });
  const { left, top, width } = u.bbox;
  const size = 12 * dot * (data.isOnPaper ? 1 : fontScale());
  for (const part of parts) {
    const [start, end] = edgesOf(u, part);
    const span: [number, number] = [Math.max(start, left), Math.min(end, left + width)];
    write(u, part.label, { span, y: top + size, size, name: part.isOver ? '--over' : '--text' });
  }
  for (const { label, ...blank } of blanks)
    write(u, label, { span: edgesOf(u, blank), y: top + 2.5 * size, size, name: '--text-soft' });
}

const yOf = (u: uPlot, db: number) => Math.round(u.valToPos(db, 'y', true));

/** Fills a rectangle, which is always large enough to see. */
function fill(u: uPlot, name: string, span: TimeSpan, [top, bottom]: [number, number], dot: number): void {
  const [left, right] = edgesOf(u, span);
  const x = Math.round(left);
  u.ctx.fillStyle = colour(name);
  u.ctx.fillRect(x, top, Math.max(Math.round(right) - x, dot), Math.max(bottom - top, dot));
}

/** Draws levels as steps. Those that follow each other are joined. */
function strokeSteps(
  u: uPlot,
  steps: readonly (TimeSpan & { readonly db: number })[],
  { name, width, dashes = [] }: { name: string; width: number; dashes?: number[] },
): void {
  const { ctx } = u;
  ctx.strokeStyle = colour(name);
  ctx.lineWidth = width;
  ctx.setLineDash(dashes);
  ctx.beginPath();
  for (const [index, step] of steps.entries()) {
    const [left, right] = edgesOf(u, step);
    const y = yOf(u, step.db);
    if (steps[index - 1]?.to === step.from) ctx.lineTo(left, y);
    else ctx.moveTo(left, y);
    ctx.lineTo(Math.max(right, left + width), y);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

/** A dot for the loudest point of each bucket, or a triangle at the top if that lies above the axis. */
function drawLoudest(u: uPlot, { steps }: ChartData, dot: number): void {
  const { ctx, bbox } = u;
  ctx.fillStyle = colour('--loudest');
  ctx.beginPath();
  for (const { middle, bucket } of steps) {
    if (!bucket || bucket.max_db === null) continue;
    const x = u.valToPos(middle / 1000, 'x', true);
    const y = yOf(u, bucket.max_db);
    if (y > bbox.top) {
      ctx.rect(x - dot, y - dot, 2 * dot, 2 * dot);
      continue;
    }
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x - 3 * dot, bbox.top + 5 * dot);
    ctx.lineTo(x + 3 * dot, bbox.top + 5 * dot);
  }
  ctx.fill();
}

/** Hatches time without levels, so that nothing is drawn across it. */
function drawBlank(u: uPlot, blank: TimeSpan, dot: number): void {
  const { top, height } = u.bbox;
  const [left, right] = edgesOf(u, blank);
  fill(u, '--panel', blank, [top, top + height], dot);
  const area = { left, top, width: Math.max(right - left, dot), height };
  const hatch = () => {
    u.ctx.strokeStyle = colour('--hatch');
    u.ctx.lineWidth = dot;
    u.ctx.beginPath();
    const first = Math.max(left, u.bbox.left) - height;
    for (let x = first - (first % (6 * dot)); x < Math.min(right, u.bbox.left + u.bbox.width); x += 6 * dot) {
      u.ctx.moveTo(x, top + height);
      u.ctx.lineTo(x + height, top);
    }
    u.ctx.stroke();
  };
  clipped(u, hatch, area);
}

interface Label {
  /** The text is written in its middle, if there is room. */
  readonly span: readonly [left: number, right: number];
  readonly y: number;
  readonly size: number;
  readonly name: string;
}

function write({ ctx }: uPlot, text: string, { span: [left, right], y, size, name }: Label): void {
  ctx.save();
  ctx.font = `600 ${size}px system-ui, sans-serif`;
  if (text !== '' && ctx.measureText(text).width < right - left) {
    ctx.textAlign = 'center';
    ctx.lineWidth = size / 3;
    ctx.strokeStyle = colour('--panel');
    ctx.fillStyle = colour(name);
    ctx.strokeText(text, (left + right) / 2, y);
    ctx.fillText(text, (left + right) / 2, y);
  }
  ctx.restore();
}

function edgesOf(u: uPlot, { from, to }: TimeSpan): [left: number, right: number] {
  return [u.valToPos(from / 1000, 'x', true), u.valToPos(to / 1000, 'x', true)];
}

/** Clips the drawing of `draw` to an area: the plot by default. */
function clipped({ ctx, bbox }: uPlot, draw: () => void, area: uPlot.BBox = bbox): void {
  const { left, top, width, height } = area;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  draw();
  ctx.restore();
}
