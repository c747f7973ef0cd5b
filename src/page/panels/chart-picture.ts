// The level chart as a picture to share: the title, the interval, the figures and the key above the chart.
import { type Key, LINES, type Mark } from '../charts/level-chart-key.ts';
import { colour } from '../state/theme.ts';

export interface PictureText {
  readonly title: string;
  /** Lines below the title, such as the interval. */
  readonly lines: readonly string[];
  readonly key: Key;
}

/** In CSS pixels: the line height, the distance from the edge, the swatch of the key, and the gap between entries. */
const [LINE, EDGE, SWATCH, APART] = [20, 14, 16, 16];
const FONT = 'px system-ui, sans-serif';

/** Draws the picture in the colours and the pixels of the screen. */
export function drawPicture(chart: HTMLCanvasElement, { title, lines, key }: PictureText): HTMLCanvasElement {
  const dot = devicePixelRatio;
  const picture = document.createElement('canvas');
  const context = picture.getContext('2d');
  if (!context) return picture;
  const width = chart.width / dot - 2 * EDGE;
  context.font = `13${FONT}`;
  const sizeOf = (text: string) => context.measureText(text).width;
  const written = lines.flatMap((line) => wrapped(line.split(' '), sizeOf, sizeOf(' '), width));
  const entries = wrapped([...key], ([, meaning]) => SWATCH + 6 + sizeOf(meaning), APART, width);
  const top = (written.length + entries.length) * LINE + 26 + EDGE;

  picture.width = chart.width;
  picture.height = chart.height + Math.round(top * dot);
  context.fillStyle = colour('--panel');
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(chart, 0, picture.height - chart.height);
  context.scale(dot, dot);
  context.textBaseline = 'middle';
  context.fillStyle = colour('--text');
  context.font = `bold 16${FONT}`;
  context.fillText(title, EDGE, EDGE + 8, width);
  context.font = `13${FONT}`;
  let y = EDGE + 26;
  for (const words of written) {
    context.fillText(words.join(' '), EDGE, y + LINE / 2, width);
    y += LINE;
  }
  for (const row of entries) {
    let x = EDGE;
    for (const [mark, meaning] of row) {
      drawSwatch(context, mark, x, y + LINE / 2);
      context.fillStyle = colour('--text-soft');
      context.fillText(meaning, x + SWATCH + 6, y + LINE / 2);
      x += SWATCH + 6 + sizeOf(meaning) + APART;
    }
    y += LINE;
  }
  return picture;
}

/** Wraps things into rows of the available width; a wider thing gets its own row. */
function wrapped<Thing>(
  things: readonly Thing[],
  sizeOf: (thing: Thing) => number,
  apart: number,
  width: number,
): Thing[][] {
  const rows: Thing[][] = [];
  let room = 0;
  for (const thing of things) {
    const row = rows.at(-1);
    if (row && sizeOf(thing) <= room) row.push(thing);
    else {
      rows.push([thing]);
      room = width;
    }
    room -= sizeOf(thing) + apart;
  }
  return rows;
}

function drawSwatch(context: CanvasRenderingContext2D, mark: Mark, x: number, middle: number): void {
  const height = LINES.has(mark) ? 2 : 10;
  context.fillStyle = colour(`--${mark}`);
  context.fillRect(x, middle - height / 2, SWATCH, height);
}
