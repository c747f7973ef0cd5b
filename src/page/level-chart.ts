// The level chart on its canvas: uPlot draws axes, cursor and the line of Leq; level-drawing.ts the rest.
import uPlot from 'uplot';
import { bucketSeconds } from './bucket-seconds.ts';
import { levelText, type Scale, timeText } from './format.ts';
import type { Interval } from './interval.ts';
import { type ChartData, drawBand, drawEvents, drawThreshold, type Series } from './level-drawing.ts';
import { colour } from './theme.ts';

export interface ChartEvents {
  /** An interval was dragged. */
  onSelect(interval: Interval): void;
  /** The pointer is at a bucket, or at none. */
  onPoint(bucket: number | null): void;
  /** Told after each drawing: what lies over the chart moves along. */
  onDrawn(chart: uPlot): void;
}

/** The levels of the axis: what a recorder stores, and a margin. */
export const [LEAST_DB, MOST_DB] = [-52, 2];

const HEIGHT = { least: 220, most: 420 };

export interface LevelChart {
  readonly plot: uPlot;
  draw(data: ChartData): void;
  /** Shows an interval that is not asked for yet, while fingers move it. */
  move(interval: Interval): void;
  /** Moves the cursor to a bucket. */
  point(bucket: number): void;
  resize(width: number): void;
  destroy(): void;
}

export const heightFor = (width: number) =>
  Math.round(Math.min(Math.max(width / 3, HEIGHT.least), HEIGHT.most));

export function createLevelChart(parent: HTMLElement, first: ChartData, told: ChartEvents): LevelChart {
  let data = first;
  let shown = first.interval;
  const width = parent.clientWidth;
  const axis = { stroke: () => colour('--text-soft'), font: '12px system-ui, sans-serif' };
  const plot = new uPlot(
    {
      width,
      height: heightFor(width),
      legend: { show: false },
      padding: [12, 28, 0, 0], // half of the last time fits beside it
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
      scales: {
        x: { time: true, range: () => [shown.from / 1000, shown.to / 1000] },
        y: { range: [LEAST_DB, MOST_DB] },
      },
      axes: [
        { ...axis, grid: grid(), values: timeTicks, space: 90 },
        {
          ...axis,
          grid: grid(),
          size: 52,
          values: (_, ticks) => ticks.map((db) => levelTick(db, data.scale)),
        },
      ],
      series: [
        {},
        {
          stroke: () => colour('--leq'),
          width: 1.5,
          spanGaps: false,
          points: { show: true, size: 4, fill: () => colour('--leq'), filter: aloneOnes },
        },
      ],
      hooks: {
        drawAxes: [(u) => drawEvents(u, data), (u) => drawBand(u, data)],
        draw: [(u) => drawThreshold(u, data), (u) => told.onDrawn(u)],
        setSelect: [
          (u) => {
            const { left, width } = u.select;
            if (width < 4) return;
            const at = (x: number) => Math.round(u.posToVal(x, 'x') * 1000);
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            told.onSelect({ from: at(left), to: at(left + width) });
          },
        ],
        setCursor: [(u) => told.onPoint(isInside(u) ? (u.cursor.idx ?? null) : null)],
      },
    },
    columns(first.series),
    parent,
  );
  return {
    plot,
    draw(next) {
      data = next;
      shown = next.interval;
      plot.setData(columns(next.series));
    },
    move(interval) {
      shown = interval;
      plot.setScale('x', { min: interval.from / 1000, max: interval.to / 1000 });
    },
    point(bucket) {
      const left = plot.valToPos(plot.data[0][bucket] ?? 0, 'x');
      plot.setCursor({ left, top: plot.over.clientHeight / 2 }, false);
    },
    resize: (width) => plot.setSize({ width, height: heightFor(width) }),
    destroy: () => plot.destroy(),
  };

  function grid() {
    return { stroke: () => colour('--grid'), width: 1 };
  }
}

const isInside = ({ cursor: { left = -1 } }: uPlot) => left >= 0;

/** Middles of buckets, in seconds, and their Leq. */
function columns({ bucket, buckets }: Series): uPlot.AlignedData {
  const half = bucketSeconds(bucket) / 2;
  return [
    buckets.map(({ time }) => Date.parse(time) / 1000 + half),
    buckets.map(({ leq_db }) => leq_db),
  ] as uPlot.AlignedData;
}

/** A line has no length between gaps: such buckets are dots. */
function aloneOnes(u: uPlot, place: number, show: boolean): number[] | null {
  if (!show) return null;
  const values = Array.from(u.data[place] ?? []);
  return values.flatMap((value, i) =>
    value != null && values[i - 1] == null && values[i + 1] == null ? [i] : [],
  );
}

const levelTick = (db: number, scale: Scale) =>
  db > 0 || db < -50 ? '' : levelText(db, scale).replace(/[.,]0$/, '');

/** Clock times, and the date where a day begins. */
function timeTicks(_: uPlot, ticks: number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return ticks.map((seconds) => {
    const at = new Date(seconds * 1000);
    const isMidnight = at.getHours() + at.getMinutes() + at.getSeconds() === 0;
    return timeText(seconds * 1000, isMidnight ? 'day' : step < 60 ? 'seconds' : 'clock');
  });
}
