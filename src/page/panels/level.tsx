// The level chart with its legend, keyboard control and the reading at the cursor.
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createLevelChart, type DrawnChart } from '../charts/level-chart.ts';
import { type ChartData, type ChartKey, chartText, keyOf, readingOf } from '../charts/level-chart-data.ts';
import { levelText, timeText } from '../locale-format.ts';
import { pan, zoom } from '../state/shown-interval.ts';
import { texts } from '../texts/texts.ts';

const { level: words } = texts;

interface ChartProps {
  readonly data: ChartData;
  /** Placed below the plot, on the same times. */
  readonly children: ReactNode;
  readonly file: ReactNode;
}

export function LevelChart({ data, children, file }: ChartProps) {
  const { interval, steps } = data;
  /** The time at the cursor, not the index, which changes as the interval moves. */
  const [pointed, setPointed] = useState<string | null>(null);
  /** The text that a screen reader reads after a key. */
  const [said, setSaid] = useState('');
  const [summary, help] = [useId(), useId()];
  const { area, chart } = useLevelChart(data, setPointed);

  const index = steps.findIndex(({ time }) => time === pointed);
  const step = steps[index];
  const textOf = (each: typeof step) => (each ? readingOf(each, data) : '');
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), steps.length - 1);
    chart.current?.point(next);
    setSaid(textOf(steps[next]));
  };
  const leave = () => {
    chart.current?.point(null);
    setSaid('');
  };
  /** The middle of the position at the cursor, if it is still on screen. */
  const here = step && step.middle >= interval.from && step.middle < interval.to ? step.middle : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey) return;
    const from = step ? index : Math.floor(steps.length / 2);
    const keys: Record<string, () => void> = {
      ArrowLeft: () => (shiftKey ? pan(interval, -0.25) : move(from - 1)),
      ArrowRight: () => (shiftKey ? pan(interval, 0.25) : move(from + 1)),
      Home: () => move(0),
      End: () => move(steps.length - 1),
      Escape: leave,
      '+': () => zoom(interval, 0.5, here),
      '=': () => zoom(interval, 0.5, here),
      '-': () => zoom(interval, 2, here),
    };
    const act = keys[key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <div className="chart">
      <div
        ref={area}
        className="canvas"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows walk along it
        tabIndex={0}
        aria-label={words.chart}
        aria-describedby={`${summary} ${help}`}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      {children}
      <div className="foot">
        <p className="reading">{textOf(step)}</p>
        <Legend text={chartText(data)} marks={keyOf(data)} file={file} />
      </div>
      <p id={summary} className="hidden">
        {summaryOf(data)}
      </p>
      <p id={help} className="hidden">
        {words.keys}
      </p>
      <p className="hidden" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

/**
 * The chart in its element: redrawn when its data or its width changes, and made anew for paper.
 *
 * @param onPoint must be the same function in each render. Receives the time at the cursor, or null
 * @returns the chart, and a `ref` for its element
 */
function useLevelChart(data: ChartData, onPoint: (time: string | null) => void) {
  const area = useRef<HTMLDivElement>(null);
  const chart = useRef<DrawnChart>(null);
  const latest = useRef(data);
  latest.current = data;
  const { isOnPaper } = data;
  // a layout effect: printing waits for no other
  useLayoutEffect(() => {
    if (!area.current) return;
    const made = createLevelChart(area.current, latest.current, onPoint);
    chart.current = made;
    if (isOnPaper) made.draw(latest.current); // uPlot's first drawing waits for a microtask, this one does not
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      if (width > 0 && width !== made.plot.width && !isOnPaper) made.resize(width);
    });
    observer.observe(area.current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [onPoint, isOnPaper]);
  useEffect(() => chart.current?.draw(data), [data]);
  return { area, chart };
}

function Legend({ text, marks, file }: { text: string; marks: ChartKey; file: ReactNode }) {
  return (
    <p className="legend soft">
      {marks.map(([mark, meaning]) => (
        <span key={mark} className={mark}>
          <i style={{ color: `var(--${mark})` }} /> {meaning}
        </span>
      ))}
      <span className="text">{text}</span>
      {file}
    </p>
  );
}

function summaryOf({ steps, interval: { from, to }, scale }: ChartData): string {
  const levels = steps.flatMap(({ level, bucket }) => (bucket ? bucket.max_db : level) ?? []);
  const loudest = levels.length > 0 ? Math.max(...levels) : null;
  return words.summary(timeText(from), timeText(to), `${levelText(loudest, scale)} ${scale.unit}`);
}
