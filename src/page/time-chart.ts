// A chart over time on a canvas: uPlot draws axes and the cursor, and tells what was dragged; fingers move it.
import uPlot from 'uplot';
import { timeText } from './format.ts';
import { type Interval, showInterval } from './interval.ts';
import { colour, onTheme } from './theme.ts';
import { listenToTouch } from './touch.ts';

export interface TimeChart<Data> {
  readonly plot: uPlot;
  /** While fingers move the chart it stays under them. */
  draw(data: Data): void;
  /** Moves the cursor to a bucket. */
  point(bucket: number): void;
  resize(width: number): void;
  destroy(): void;
}

export interface TimeChartOptions<Data> {
  readonly height: (width: number) => number;
  /** What lies upwards. */
  readonly range: readonly [number, number];
  readonly axis: uPlot.Axis;
  /** The lines, beside what is drawn. */
  readonly series: readonly uPlot.Series[];
  /** Middles of buckets in seconds since 1970, and the values of each line. */
  columns(data: Data): uPlot.AlignedData;
  /** Below the lines, and above them. */
  drawBelow(chart: uPlot, data: Data): void;
  drawAbove(chart: uPlot, data: Data): void;
  /** The pointer is at a bucket, or at none. */
  onPoint(bucket: number | null, data: Data, chart: uPlot): void;
}

/** On both sides of every chart, so that times are below one another; in CSS pixels. */
const [AXIS, MARGIN] = [52, 28];
const [TOP, TIMES] = [12, 36];
/** How much higher a chart is than what it shows. */
export const AROUND = TOP + TIMES;

export function createTimeChart<Data extends { readonly interval: Interval }>(
  parent: HTMLElement,
  first: Data,
  { height, range, axis, series, columns, drawBelow, drawAbove, onPoint }: TimeChartOptions<Data>,
): TimeChart<Data> {
  let data = first;
  /** Where fingers have moved it; not asked for yet. */
  let moved: Interval | undefined;
  const width = parent.clientWidth;
  const looks = {
    stroke: () => colour('--text-soft'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: () => colour('--grid'), width: 1 },
  };
  const plot = new uPlot(
    {
      width,
      height: height(width),
      legend: { show: false },
      padding: [TOP, MARGIN, 0, 0], // half of the last time fits beside it
      cursor: {
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
        // all charts show the time at which the pointer is; what is dragged is dragged in one
        sync: { key: 'time', scales: ['x', null], filters: { pub: (type) => /move|leave/.test(type) } },
      },
      scales: {
        x: {
          time: true,
          range: () => {
            const { from, to } = moved ?? data.interval;
            return [from / 1000, to / 1000];
          },
        },
        y: { range: [...range] },
      },
      axes: [
        { ...looks, values: timeTicks, space: 90, size: TIMES },
        { ...looks, ...axis, size: AXIS },
      ],
      series: [{}, ...series],
      hooks: {
        drawAxes: [(chart) => drawBelow(chart, data)],
        draw: [(chart) => drawAbove(chart, data)],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width < 4) return;
            const at = (x: number) => Math.round(chart.posToVal(x, 'x') * 1000);
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            showInterval({ from: at(left), to: at(left + width) });
          },
        ],
        setCursor: [(chart) => onPoint(isInside(chart) ? (chart.cursor.idx ?? null) : null, data, chart)],
      },
    },
    columns(first),
    parent,
  );
  const drawAgain = () => plot.setData(columns(data));
  const endTouch = listenToTouch(plot.over, {
    interval: () => data.interval,
    onMove(interval) {
      moved = interval;
      plot.setScale('x', { min: interval.from / 1000, max: interval.to / 1000 });
    },
    onEnd(interval) {
      moved = undefined;
      showInterval(interval);
    },
    onCancel() {
      moved = undefined;
      drawAgain();
    },
  });
  const endTheme = onTheme(drawAgain);
  return {
    plot,
    draw(next) {
      data = next;
      if (!moved) drawAgain();
    },
    point(bucket) {
      const left = plot.valToPos(plot.data[0][bucket] ?? 0, 'x');
      plot.setCursor({ left, top: plot.over.clientHeight / 2 }, false);
    },
    resize: (width) => plot.setSize({ width, height: height(width) }),
    destroy() {
      endTouch();
      endTheme();
      plot.destroy();
    },
  };
}

const isInside = ({ cursor: { left = -1 } }: uPlot) => left >= 0;

/** Clock times, and the date where a day begins. */
function timeTicks(_: uPlot, ticks: number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return ticks.map((seconds) => {
    const at = new Date(seconds * 1000);
    const isMidnight = at.getHours() + at.getMinutes() + at.getSeconds() === 0;
    return timeText(seconds * 1000, isMidnight ? 'day' : step < 60 ? 'seconds' : 'clock');
  });
}
