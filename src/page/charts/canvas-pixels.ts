// Where things are on the canvas of a chart, in its own pixels.
import type uPlot from 'uplot';

/** @returns the left edge and the right edge of what lasts from one time to another, in milliseconds since 1970 */
export function edgesOf(u: uPlot, from: number, to: number): [left: number, right: number] {
  return [u.valToPos(from / 1000, 'x', true), u.valToPos(to / 1000, 'x', true)];
}

/** Draws nothing beside the axes. */
export function clipped({ ctx, bbox: { left, top, width, height } }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  draw();
  ctx.restore();
}
