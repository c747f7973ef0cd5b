// A chart over time: uPlot provides axes, cursor and drag-to-zoom; gestures pan and zoom.
import uPlot from 'uplot';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { showInterval, zoom } from '../state/shown-interval.ts';
import { timeZone } from '../state/site.ts';
import { colour, THEME_CHANGED } from '../state/theme.ts';
import { fontScale, timeTicks } from './chart-axes.ts';
import { isPan, listenToPointers } from './touch.ts';

export interface TimeChart<Data> {
  readonly plot: uPlot;
  /** Draws new data. During a gesture the chart keeps its moved position. */
  draw(data: Data): void;
  /** Moves the cursor to a bucket, or hides it. */
  point(bucket: number | null): void;
  resize(width: number): void;
  destroy(): void;
}

export interface TimeData {
  readonly interval: TimeSpan;
  /** A chart on paper has a fixed width and more pixels. */
  readonly isOnPaper: boolean;
}

/** On paper: the width in CSS pixels (A4 minus the margins of print.css), and 384 pixels per inch. */
const PAPER = { width: 684, density: 4 };

export interface TimeChartOptions<Data> {
  /** @param around the height of the chart outside its plot */
  readonly height: (width: number, around: number) => number;
  /** Whether the chart lies below another one and shares its times. */
  readonly isLane?: boolean;
  /** The range of the vertical axis. */
  range(data: Data): [number, number];
  readonly axis: uPlot.Axis;
  /** @param enlarge the size of a pixel of the screen in the chart */
  series(enlarge: number): readonly uPlot.Series[];
  /** Middles of buckets in seconds since 1970, and the values of each line. */
  columns(data: Data): uPlot.AlignedData;
  /** Draw below and above the lines. `dot` is the number of canvas pixels per CSS pixel of the screen. */
  drawBelow(chart: uPlot, data: Data, dot: number): void;
  drawAbove?(chart: uPlot, data: Data, dot: number): void;
  /** Receives the bucket at the cursor, or null. */
  onPoint(bucket: number | null, data: Data, chart: uPlot): void;
}

/** Widths left and right of every plot, in CSS pixels. They align the time axes. Narrow charts have less. */
const [AXIS, MARGIN] = [52, 28];
const NARROW = { below: 500, axis: 36, margin: 14 };
const [TOP, TIMES] = [12, 44];

export function createTimeChart<Data extends TimeData>(
  parent: HTMLElement,
  first: Data,
  options: TimeChartOptions<Data>,
): TimeChart<Data> {
  const { isLane = false, columns } = options;
  let data = first;
  /** The interval of a gesture in progress. */
  let moved: TimeSpan | undefined;
  /** Whether Escape cancelled the drag. */
  let isCancelled = false;
  const { isOnPaper } = first;
  const enlarge = isOnPaper ? PAPER.density / devicePixelRatio : 1;
  const dot = () => devicePixelRatio * enlarge;
  const textScale = isOnPaper ? 1 : fontScale();
  const text = enlarge * textScale;
  const isNarrow = !isOnPaper && parent.clientWidth < NARROW.below;
  const axis = isNarrow ? NARROW.axis : AXIS;
  const margin = isNarrow ? NARROW.margin : MARGIN;
  // the style sheet aligns rows with the plot
  const { style } = document.documentElement;
  style.setProperty('--axis', `${axis * textScale}px`);
  style.setProperty('--margin', `${margin}px`);
  const sizeOf = (width: number) => ({
    width: width * enlarge,
    height: options.height(width, isLane ? 0 : TOP + TIMES * textScale) * enlarge,
  });
  const looks = {
    stroke: () => colour('--text-soft'),
    font: `${Math.round(12 * text)}px system-ui, sans-serif`, // uPlot takes the digits before px as the line height
    gap: 5 * enlarge,
    grid: { stroke: () => colour('--grid'), width: enlarge },
    ticks: { size: 10 * enlarge, width: 2 * enlarge },
  };
  const plot = new uPlot(
    {
      ...sizeOf(isOnPaper ? PAPER.width : parent.clientWidth),
      legend: { show: false },
      padding: [isLane ? 0 : TOP * enlarge, margin * enlarge, 0, 0], // room for half of the last label
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone()),
      cursor: {
        drag: { x: true, y: false, setScale: false },
        bind: {
          mousedown: (_chart, _target, select) => (event) => {
            if (event.button === 0 && !isPan(event)) select(event);
            return null;
          },
        },
        points: { size: 8 },
        y: false,
        // all charts share the cursor; a drag stays in its own chart
        sync: { key: 'time', scales: ['x', null], filters: { pub: (type) => type === 'mousemove' } },
      },
      scales: {
        x: {
          time: true,
          range: () => {
            const { from, to } = moved ?? data.interval;
            return [from / 1000, to / 1000];
          },
        },
        y: { range: () => options.range(data) },
      },
      axes: [
        {
          ...looks,
          show: !isLane,
          values: timeTicks,
          space: (_chart, _axis, _from, _to, width) => (width < 400 * text ? 64 : 90) * text,
          size: TIMES * text,
        },
        { ...looks, ...options.axis, size: axis * text },
      ],
      series: [{}, ...options.series(enlarge)],
      hooks: {
        drawAxes: [(chart) => options.drawBelow(chart, data, dot())],
        draw: [(chart) => options.drawAbove?.(chart, data, dot())],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            clearSelection(chart);
            if (width < 4 || isCancelled) return;
            const at = (x: number) => {
              const inside = Math.min(Math.max(x, 0), chart.over.clientWidth);
              return Math.round(chart.posToVal(inside, 'x') * 1000);
            };
            showInterval({ from: at(left), to: at(left + width) });
          },
        ],
        setCursor: [
          (chart) => options.onPoint(isInside(chart) ? (chart.cursor.idx ?? null) : null, data, chart),
        ],
      },
    },
    columns(first),
    parent,
  );
  if (isOnPaper) plot.root.style.zoom = String(1 / enlarge);
  const drawAgain = () => plot.batch(() => plot.setData(columns(data))); // batch() updates the scales at once
  /** Draws, and keeps the cursor at its time. */
  const drawAround = (time: number) => {
    const { top = 0 } = plot.cursor;
    drawAgain();
    const left = plot.valToPos(time, 'x');
    const isOutside = left < 0 || left > plot.over.clientWidth;
    plot.setCursor(isOutside ? AWAY : { left, top });
  };
  const gestures = {
    interval: () => data.interval,
    onMove(interval: TimeSpan) {
      moved = interval;
      plot.setScale('x', { min: interval.from / 1000, max: interval.to / 1000 });
    },
    onEnd(interval: TimeSpan) {
      moved = undefined;
      if (!showInterval(interval)) drawAgain();
    },
    onCancel() {
      moved = undefined;
      drawAgain();
    },
  };
  const ending = new AbortController();
  const { signal } = ending;
  listenToPointers(plot.over, gestures, signal);
  plot.over.addEventListener(
    'dblclick',
    ({ offsetX }) => zoom(data.interval, 2, plot.posToVal(offsetX, 'x') * 1000),
    { signal },
  );
  plot.over.addEventListener(
    'pointerdown',
    ({ pointerType, pointerId }) => {
      isCancelled = false;
      // a drag may leave the chart, and ends when the button is released
      if (pointerType === 'mouse') plot.over.setPointerCapture(pointerId);
    },
    { signal },
  );
  addEventListener(
    'keydown',
    ({ key }) => {
      if (key !== 'Escape') return;
      isCancelled = true;
      clearSelection(plot);
    },
    { signal },
  );
  addEventListener(THEME_CHANGED, drawAgain, { signal });
  return {
    plot,
    draw(next) {
      // after a zoom the cursor stays at the pointer
      const hasMovedOn =
        next.interval !== data.interval && lengthOf(next.interval) === lengthOf(data.interval);
      data = next;
      if (moved) return;
      const time =
        isInside(plot) && plot.select.width === 0 ? plot.data[0][plot.cursor.idx ?? -1] : undefined;
      if (hasMovedOn && time !== undefined) drawAround(time);
      else drawAgain();
    },
    point(bucket) {
      const time = bucket === null ? undefined : plot.data[0][bucket];
      if (time === undefined) plot.setCursor(AWAY);
      else plot.setCursor({ left: plot.valToPos(time, 'x'), top: plot.over.clientHeight / 2 });
    },
    resize: (width) => plot.setSize(sizeOf(width)),
    destroy() {
      ending.abort();
      plot.destroy();
    },
  };
}

const AWAY = { left: -10, top: -10 };

const lengthOf = ({ from, to }: TimeSpan) => to - from;

const isInside = ({ cursor: { left = -1 } }: uPlot) => left >= 0;

const clearSelection = (chart: uPlot) => chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
