// Helps to draw on the canvas of a chart: turns times into pixels, and clips to the plot.
import type uPlot from 'uplot';
import type { TimeSpan } from '../state/calendar-intervals.ts';

/** @returns the pixels of the ends of an interval */
export function edgesOf(u: uPlot, { from, to }: TimeSpan): [left: number, right: number] {
  return [u.valToPos(from / 1000, 'x', true), u.valToPos(to / 1000, 'x', true)];
}

/** Clips the drawing of `draw` to an area: the plot by default. */
export function clipped({ ctx, bbox }: uPlot, draw: () => void, area: uPlot.BBox = bbox): void {
  const { left, top, width, height } = area;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  draw();
  ctx.restore();
}
