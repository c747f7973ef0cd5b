// The level chart with its legend, its keyboard control and the reading of the bucket at the cursor; and as a table.
import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { bucketSeconds, bucketText } from '../charts/bucket-times.ts';
import { createLevelChart } from '../charts/level-chart.ts';
import type { ChartData, Series } from '../charts/level-chart-layers.ts';
import { useTimeChart } from '../charts/use-time-chart.ts';
import { countText, levelText, rangeText, type Scale, timeText } from '../locale-format.ts';
import { pan, zoom } from '../state/shown-interval.ts';
import { Table, TableRow } from './scrolling-table.tsx';
import { ThresholdHandle } from './threshold-handle.tsx';

interface ChartProps {
  readonly data: ChartData;
  /** Receives the canvas, which can be saved as a picture. */
  readonly onCanvas: (canvas: HTMLCanvasElement) => void;
}

export function LevelChart({ data, onCanvas }: ChartProps) {
  const { series, scale, interval, threshold } = data;
  const area = useRef<HTMLDivElement>(null);
  /** The bucket at the cursor, by its time: its index changes as the interval moves on. */
  const [pointed, setPointed] = useState<string | null>(null);
  /** What a screen reader says after a key. */
  const [said, setSaid] = useState('');
  const help = useId();
  const create = useCallback(
    (parent: HTMLElement, first: ChartData) => {
      const chart = createLevelChart(parent, first, setPointed);
      onCanvas(chart.plot.ctx.canvas);
      return chart;
    },
    [onCanvas],
  );
  const chart = useTimeChart(area, data, create);

  const { buckets } = series;
  const found = pointed === null ? -1 : buckets.findIndex(({ time }) => time === pointed);
  const place = found < 0 ? null : found;
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), buckets.length - 1);
    chart.current?.point(next);
    setSaid(readingOf(data, next));
  };
  const leave = () => {
    chart.current?.point(null);
    setSaid('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey) return;
    const middle = Math.floor(buckets.length / 2);
    const keys: Record<string, () => void> = {
      ArrowLeft: () => (shiftKey ? pan(interval, -0.25) : move((place ?? middle) - 1)),
      ArrowRight: () => (shiftKey ? pan(interval, 0.25) : move((place ?? middle) + 1)),
      Home: () => move(0),
      End: () => move(buckets.length - 1),
      Escape: leave,
      '+': () => zoom(interval, 0.5, timeOf(place)),
      '=': () => zoom(interval, 0.5, timeOf(place)),
      '-': () => zoom(interval, 2, timeOf(place)),
    };
    const act = keys[key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const timeOf = (bucket: number | null) => {
    const time = bucket === null ? undefined : buckets[bucket]?.time;
    if (time === undefined) return undefined;
    const middle = Date.parse(time) + bucketSeconds(series.bucket) * 500;
    // the interval may have moved on while the chart still shows the answer before
    return middle >= interval.from && middle < interval.to ? middle : undefined;
  };

  return (
    <div className="chart">
      <Legend data={data} />
      <div className="plot">
        <div
          ref={area}
          className="canvas"
          role="application"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows walk along it
          tabIndex={0}
          aria-label={summaryOf(data)}
          aria-describedby={help}
          onKeyDown={onKeyDown}
          onBlur={leave}
        />
        {threshold !== null && <ThresholdHandle threshold={threshold} scale={scale} />}
      </div>
      <p className="reading">
        {place !== null && readingOf(data, place)}
        <span id={help} className={place === null ? 'hint' : 'hidden'}>
          <span className="mouse">
            Drag to zoom in, double-click to zoom out; or Ctrl and the wheel. Keys: arrows walk, shift and
            arrows pan, plus and minus zoom.
          </span>
          <span className="touch">Drag to pan, pinch to zoom.</span>
        </span>
      </p>
      <p className="hidden" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

function Legend({ data: { series, scale, events, hasMoreEvents } }: { data: ChartData }) {
  const count = countText(events.length);
  const marks = {
    band: 'minimum to maximum',
    leq: 'Leq',
    event: hasMoreEvents ? `noise event, the newest ${count} alone` : 'noise event',
  };
  return (
    <p className="legend soft">
      In {scale.unit}, of {bucketText(series.bucket)} each:
      {Object.entries(marks).map(([mark, meaning]) => (
        <span key={mark}>
          <i className={mark} /> {meaning}
        </span>
      ))}
    </p>
  );
}

function summaryOf({ series: { buckets }, interval: { from, to }, scale }: ChartData): string {
  const loudest = buckets.reduce<number | null>(
    (most, { max_db }) => (max_db === null ? most : Math.max(most ?? max_db, max_db)),
    null,
  );
  return `Level chart from ${timeText(from)} to ${timeText(to)}, highest level ${levelText(loudest, scale)} ${scale.unit}`;
}

/** The times, the levels and the loudest noise event of a bucket. */
function readingOf({ series, events, scale }: ChartData, place: number): string {
  const bucket = series.buckets[place];
  if (!bucket) return '';
  const level = (db: number | null) => levelText(db, scale);
  const { time, leq_db, min_db, max_db, point_count } = bucket;
  const from = Date.parse(time);
  const to = from + bucketSeconds(series.bucket) * 1000;
  const figures =
    point_count === 0
      ? 'no points'
      : `Leq ${level(leq_db)}, minimum ${level(min_db)}, maximum ${level(max_db)} ${scale.unit}`;
  const peaks = events.flatMap(({ start, end, peak_db }) =>
    Date.parse(start) < to && Date.parse(end) >= from ? peak_db : [],
  );
  const event = peaks.length > 0 ? `; noise event, peak ${level(Math.max(...peaks))}` : '';
  return `${rangeText(from, to)}: ${figures}${event}`;
}

/** A row for each bucket. */
export function LevelTable({ series: { buckets }, scale }: { series: Series; scale: Scale }) {
  const level = (db: number | null) => levelText(db, scale);
  return (
    <Table label="Levels as a table" columns={['Time', `Leq, ${scale.unit}`, 'Minimum', 'Maximum', 'Points']}>
      <tbody>
        {buckets.map(({ time, leq_db, min_db, max_db, point_count }) => (
          <TableRow
            key={time}
            of={timeText(time)}
            cells={[level(leq_db), level(min_db), level(max_db), countText(point_count)]}
          />
        ))}
      </tbody>
    </Table>
  );
}
