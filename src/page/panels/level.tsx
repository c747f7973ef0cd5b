// The level chart as a person uses it: by mouse, by fingers, by keyboard, or as a table.
import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { bucketSeconds } from '../charts/bucket-times.ts';
import { createLevelChart, LEAST_DB, MOST_DB } from '../charts/level-chart.ts';
import type { ChartData, Series } from '../charts/level-chart-layers.ts';
import { useTimeChart } from '../charts/use-time-chart.ts';
import {
  bucketText,
  countText,
  levelText,
  rangeText,
  type Scale,
  timeText,
} from '../number-and-time-format.ts';
import { pan, zoom } from '../state/shown-interval.ts';
import { changeView, LOUDEST, QUIETEST } from '../state/view-in-address.ts';
import { Row, Table } from './scrolling-table.tsx';

interface ChartProps {
  readonly data: ChartData;
  /** Told the canvas, to be saved as a picture. */
  readonly onCanvas: (canvas: HTMLCanvasElement) => void;
}

export function Chart({ data, onCanvas }: ChartProps) {
  const { series, scale, interval, threshold } = data;
  const area = useRef<HTMLDivElement>(null);
  /** The time of the bucket that is pointed at: others come and go. */
  const [pointed, setPointed] = useState<string | null>(null);
  /** What keys have led to. */
  const [said, setSaid] = useState('');
  const [plotArea, setPlotArea] = useState({ left: 0, top: 0, width: 0, height: 0 });
  const help = useId();
  const create = useCallback(
    (parent: HTMLElement, first: ChartData) => {
      const chart = createLevelChart(parent, first, {
        onPoint: setPointed,
        onDrawn: ({ over: { offsetLeft: left, offsetTop: top, clientWidth: width, clientHeight: height } }) =>
          setPlotArea((before) =>
            before.left === left && before.top === top && before.width === width && before.height === height
              ? before
              : { left, top, width, height },
          ),
      });
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
    return time === undefined ? undefined : Date.parse(time) + bucketSeconds(series.bucket) * 500;
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
        {threshold !== null && plotArea.height > 0 && (
          <Threshold area={plotArea} threshold={threshold} scale={scale} chart={area} />
        )}
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

/** Times, levels, and the loudest noise event of a bucket. */
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

interface ThresholdProps {
  readonly area: { left: number; top: number; width: number; height: number };
  readonly threshold: number;
  readonly scale: Scale;
  readonly chart: { readonly current: HTMLElement | null };
}

/** The handle of the threshold, which is dragged, or moved by arrows in steps of half a decibel. */
function Threshold({ area, threshold, scale, chart }: ThresholdProps) {
  const [dragged, setDragged] = useState<number>();
  const shown = dragged ?? threshold;
  const stepped = (db: number) => Math.min(Math.max(Math.round(db * 2) / 2, QUIETEST), LOUDEST);
  const set = (db: number) => changeView({ threshold: stepped(db) }, { step: false });
  const levelAt = (clientY: number) => {
    const top = (chart.current?.getBoundingClientRect().top ?? 0) + area.top;
    return MOST_DB - ((clientY - top) / area.height) * (MOST_DB - LEAST_DB);
  };
  const y = area.top + ((MOST_DB - shown) / (MOST_DB - LEAST_DB)) * area.height;
  /** How far above the pointer the threshold is, in dB, while it is held. */
  const held = useRef<number>(null);
  const letGo = () => {
    held.current = null;
    setDragged(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') return letGo();
    const steps: Record<string, number> = {
      ArrowUp: 0.5,
      ArrowRight: 0.5,
      ArrowDown: -0.5,
      ArrowLeft: -0.5,
      PageUp: 5,
      PageDown: -5,
    };
    const ends: Record<string, number> = { Home: QUIETEST, End: LOUDEST };
    const next = ends[event.key] ?? (event.key in steps ? threshold + (steps[event.key] ?? 0) : undefined);
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  return (
    <div
      className="threshold"
      role="slider"
      tabIndex={0}
      aria-label="Threshold of noise events"
      title="Drag, or use the arrows"
      aria-orientation="vertical"
      aria-valuemin={QUIETEST + scale.offset}
      aria-valuemax={LOUDEST + scale.offset}
      aria-valuenow={shown + scale.offset}
      aria-valuetext={`${levelText(shown, scale)} ${scale.unit}`}
      style={{ top: y, left: area.left, width: area.width }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = threshold - levelAt(event.clientY);
      }}
      onPointerMove={(event) => {
        if (held.current !== null) setDragged(stepped(levelAt(event.clientY) + held.current));
      }}
      onPointerUp={() => {
        if (dragged !== undefined) set(dragged);
        letGo();
      }}
      onPointerCancel={letGo}
    >
      <span>{levelText(shown, scale)}</span>
    </div>
  );
}

/** The buckets as rows, for those who read rather than look. */
export function SeriesTable({ series: { buckets }, scale }: { series: Series; scale: Scale }) {
  const level = (db: number | null) => levelText(db, scale);
  return (
    <Table label="Levels as a table" columns={['Time', `Leq, ${scale.unit}`, 'Minimum', 'Maximum', 'Points']}>
      <tbody>
        {buckets.map(({ time, leq_db, min_db, max_db, point_count }) => (
          <Row
            key={time}
            of={timeText(time)}
            cells={[level(leq_db), level(min_db), level(max_db), countText(point_count)]}
          />
        ))}
      </tbody>
    </Table>
  );
}
