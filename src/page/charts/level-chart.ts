// The level chart: layers draw it; uPlot provides axes, cursor and drag-to-zoom; gestures pan and zoom.
import uPlot from 'uplot';
import { decibelText } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { showInterval, zoom } from '../state/shown-interval.ts';
import { timeZone } from '../state/site.ts';
import { colour, THEME_CHANGED } from '../state/theme.ts';
import { fontScale, levelRange, levelTicks, timeTicks } from './chart-axes.ts';
import type { ChartData } from './level-chart-data.ts';
import { drawGround, drawLines } from './level-chart-layers.ts';
import { isPan, listenToPointers } from './touch.ts';

export type DrawnChart = ReturnType<typeof createLevelChart>;

/** On paper: the width in CSS pixels (A4 minus the margins of print.css), and 384 pixels per inch. */
const PAPER = { width: 684, density: 4 };

const HEIGHT = { onPaper: 190, least: 150, most: 340 };
/** Widths left and right of the plot, in CSS pixels. Narrow charts have less. */
const [AXIS, MARGIN] = [52, 28];
const NARROW = { below: 500, axis: 36, margin: 14 };
/** Heights above the plot and of the times below it. */
const [TOP, TIMES] = [12, 44];

/** @param onPoint receives the time of the position at the cursor, or null */
export function createLevelChart(
  parent: HTMLElement,
  first: ChartData,
  onPoint: (time: string | null) => void,
) {
  let data = first;
  let levels = levelRange(first);
  let moved: TimeSpan | undefined;
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
  const heightOf = (width: number) =>
    isOnPaper ? HEIGHT.onPaper : Math.round(Math.min(Math.max(width / 3.2, HEIGHT.least), HEIGHT.most));
  const sizeOf = (width: number) => ({ width: width * enlarge, height: heightOf(width) * enlarge });
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
      padding: [TOP * enlarge, margin * enlarge, 0, 0], // room for half of the last label
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
      },
      scales: {
        x: {
          time: true,
          range: () => {
            const { from, to } = moved ?? data.interval;
            return [from / 1000, to / 1000];
          },
        },
        y: { range: () => levels },
      },
      axes: [
        {
          ...looks,
          values: timeTicks,
          space: (_chart, _axis, _from, _to, width) => (width < 400 * text ? 64 : 90) * text,
          size: TIMES * text,
        },
        {
          ...looks,
          splits: () => levelTicks(levels),
          values: (_chart, ticks) => ticks.map((db) => decibelText(db).replace(/[.,]0$/, '')),
          size: axis * text,
        },
      ],
      // only for the cursor: a layer draws the steps
      series: [{}, { stroke: () => colour('--leq'), paths: () => null, points: { show: false } }],
      hooks: {
        drawAxes: [(chart) => drawGround(chart, data, dot())],
        draw: [(chart) => drawLines(chart, data, dot())],
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
          (chart) => {
            const index = isInside(chart) ? chart.cursor.idx : null;
            onPoint(index == null ? null : (data.steps[index]?.time ?? null));
          },
        ],
      },
    },
    lineOf(first),
    parent,
  );
  if (isOnPaper) plot.root.style.zoom = String(1 / enlarge);
  const drawAgain = () => {
    levels = levelRange(data);
    plot.batch(() => plot.setData(lineOf(data))); // batch() updates the scales at once
  };
  /** Moves the cursor to a time on screen in seconds, or hides it. */
  const pointAt = (time = Number.NaN, top = plot.over.clientHeight / 2) => {
    const left = plot.valToPos(time, 'x');
    plot.setCursor(left >= 0 && left <= plot.over.clientWidth ? { left, top } : AWAY);
  };
  const gestures = {
    interval: () => data.interval,
    onMove(interval: TimeSpan) {
      moved = interval;
      plot.setScale('x', { min: interval.from / 1000, max: interval.to / 1000 });
    },
    onEnd(interval?: TimeSpan) {
      moved = undefined;
      if (!interval || !showInterval(interval)) drawAgain();
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
    /** Draws new data. During a gesture the chart keeps its moved position. */
    draw(next: ChartData) {
      // after a zoom the cursor stays at the pointer
      const hasMovedOn =
        next.interval !== data.interval && lengthOf(next.interval) === lengthOf(data.interval);
      data = next;
      if (moved) return;
      const time =
        isInside(plot) && plot.select.width === 0 ? plot.data[0][plot.cursor.idx ?? -1] : undefined;
      const { top } = plot.cursor;
      drawAgain();
      if (hasMovedOn && time !== undefined) pointAt(time, top);
    },
    /** Moves the cursor to a step, or hides it. */
    point: (step: number | null) => pointAt(plot.data[0][step ?? -1]),
    resize: (width: number) => plot.setSize(sizeOf(width)),
    destroy() {
      ending.abort();
      plot.destroy();
    },
  };
}

/** The times in seconds since 1970, and the levels. */
const lineOf = ({ steps }: ChartData): uPlot.AlignedData => [
  steps.map(({ middle }) => middle / 1000),
  steps.map(({ level }) => level),
];

const AWAY = { left: -10, top: -10 };

const lengthOf = ({ from, to }: TimeSpan) => to - from;

const isInside = ({ cursor: { left = -1 } }: uPlot) => left >= 0;

const clearSelection = (chart: uPlot) => chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
