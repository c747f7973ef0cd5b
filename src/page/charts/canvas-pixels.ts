// Helps to draw on the canvas of a chart: turns times into pixels, and clips to the plot.
import type uPlot from 'uplot';

/** @returns the pixels of two times in milliseconds since 1970 */
export function edgesOf(u: uPlot, from: number, to: number): [left: number, right: number] {
  return [u.valToPos(from / 1000, 'x', true), u.valToPos(to / 1000, 'x', true)];
}

/** Clips the drawing of `draw` to the plot. */
export function clipped({ ctx, bbox: { left, top, width, height } }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  draw();
  ctx.restore();
}
