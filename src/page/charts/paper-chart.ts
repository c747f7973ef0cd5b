// The level chart as a picture, as wide as a page of paper.
import { createLevelChart } from './level-chart.ts';
import type { ChartData } from './level-chart-data.ts';

/** In CSS pixels: A4 minus the margins of print.css. Keep print.css in step. */
const WIDTH = 684;
/** Pixels of the picture per CSS pixel: 384 per inch. */
const DENSITY = 4;

/**
 * Draws in the current colours, and at once, because printing does not wait.
 *
 * @param height in CSS pixels
 */
export function drawForPaper(data: ChartData, height: number): HTMLCanvasElement {
  const enlarge = DENSITY / devicePixelRatio;
  const size = { width: WIDTH * enlarge, height: height * enlarge, enlarge };
  const chart = createLevelChart(document.createElement('div'), data, () => {}, size);
  chart.draw(data); // uPlot's first drawing waits for a microtask, this one does not
  const { canvas } = chart.plot.ctx;
  const picture = document.createElement('canvas');
  [picture.width, picture.height] = [canvas.width, canvas.height];
  picture.getContext('2d')?.drawImage(canvas, 0, 0);
  chart.destroy();
  return picture;
}
