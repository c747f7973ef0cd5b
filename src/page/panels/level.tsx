// The level chart with its legend, keyboard control and the reading at the cursor.
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import {
  type ChartData,
  type ChartKey,
  chartText,
  indexAt,
  keyOf,
  middleAt,
  positionCount,
  readingAt,
} from '../charts/level-chart-data.ts';
import { useLevelChart } from '../charts/use-level-chart.ts';
import { levelText, timeText } from '../locale-format.ts';
import { pan, zoom } from '../state/shown-interval.ts';
import { texts } from '../texts/texts.ts';

const { level: words } = texts;

interface ChartProps {
  readonly data: ChartData;
  /** Placed below the plot, on the same times. */
  readonly children: ReactNode;
  /** The link to the points as a file. */
  readonly file: ReactNode;
}

export function LevelChart({ data, children, file }: ChartProps) {
  const { interval } = data;
  /** The time at the cursor, not the index, which changes as the interval moves. */
  const [pointed, setPointed] = useState<string | null>(null);
  /** The text that a screen reader reads after a key. */
  const [said, setSaid] = useState('');
  const [summary, help] = [useId(), useId()];
  const { area, chart } = useLevelChart(data, setPointed);

  const index = indexAt(data, pointed);
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), positionCount(data) - 1);
    chart.current?.point(next);
    setSaid(readingAt(data, next));
  };
  const leave = () => {
    chart.current?.point(null);
    setSaid('');
  };
  /** The middle of the position at the cursor, if it is still on screen. */
  const here = () => {
    const middle = index === null ? undefined : middleAt(data, index);
    return middle !== undefined && middle >= interval.from && middle < interval.to ? middle : undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey) return;
    const middle = Math.floor(positionCount(data) / 2);
    const keys: Record<string, () => void> = {
      ArrowLeft: () => (shiftKey ? pan(interval, -0.25) : move((index ?? middle) - 1)),
      ArrowRight: () => (shiftKey ? pan(interval, 0.25) : move((index ?? middle) + 1)),
      Home: () => move(0),
      End: () => move(positionCount(data) - 1),
      Escape: leave,
      '+': () => zoom(interval, 0.5, here()),
      '=': () => zoom(interval, 0.5, here()),
      '-': () => zoom(interval, 2, here()),
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
        <p className="reading">{index !== null && readingAt(data, index)}</p>
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

/** Explains the marks of the chart. */
function Legend({ text, marks, file }: { text: string; marks: ChartKey; file: ReactNode }) {
  return (
    <p className="legend soft">
      {marks.map(([mark, meaning]) => (
        <span key={mark} className={mark}>
          <i /> {meaning}
        </span>
      ))}
      <span className="text">{text}</span>
      {file}
    </p>
  );
}

function summaryOf({ series: { buckets }, interval: { from, to }, scale }: ChartData): string {
  const loudest = buckets.reduce<number | null>(
    (most, { max_db }) => (max_db === null ? most : Math.max(most ?? max_db, max_db)),
    null,
  );
  return words.summary(timeText(from), timeText(to), `${levelText(loudest, scale)} ${scale.unit}`);
}
