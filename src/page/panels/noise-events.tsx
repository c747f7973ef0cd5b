// The noise events of the interval, newest first; a click shows one from near.
import { useState } from 'react';
import type { NoiseEvent } from '../charts/level-chart-layers.ts';
import {
  countText,
  hertzText,
  lengthText,
  levelText,
  type Scale,
  timeText,
} from '../number-and-time-format.ts';
import { showInterval } from '../state/shown-interval.ts';
import { changeView, LOUDEST, QUIETEST, type View } from '../state/view-in-address.ts';
import { Row, Table } from './scrolling-table.tsx';

interface EventsProps {
  readonly events: readonly NoiseEvent[];
  readonly scale: Scale;
  /** Undefined where there are no more. */
  readonly onMore: (() => void) | undefined;
}

export function Events({ events, scale, onMore }: EventsProps) {
  if (events.length === 0) return <p className="soft">No noise events in this interval.</p>;
  const level = (db: number | null) => levelText(db, scale);
  return (
    <>
      <Table
        label="Noise events as a table"
        caption={`${countText(events.length)} ${events.length === 1 ? 'event' : 'events'}, newest first`}
        columns={['Start', 'Duration', 'Peak', 'Leq', `SEL, ${scale.unit}`, 'Frequency']}
      >
        <tbody>
          {events.map((event) => (
            <Row
              key={event.start}
              of={
                <button type="button" className="link" onClick={() => showInterval(around(event))}>
                  {timeText(event.start)}
                </button>
              }
              cells={[
                `${lengthText(event.duration_seconds)}${event.open ? ' so far' : ''}`,
                level(event.peak_db),
                level(event.leq_db),
                `${level(event.sel_db)}${event.sel_complete ? '' : '*'}`,
                hertzText(event.dominant_frequency_hz),
              ]}
            />
          ))}
        </tbody>
      </Table>
      {events.some(({ sel_complete }) => !sel_complete) && (
        <p className="hint">* The peak is less than 10 dB above the threshold: SEL lacks what lies below.</p>
      )}
      {onMore && (
        <p>
          The newest {countText(events.length)} events: older ones are not in the chart either.{' '}
          <button type="button" onClick={onMore}>
            Older events
          </button>
        </p>
      )}
    </>
  );
}

/** With as much before and after as it is long, and 15 s at least. */
function around({ start, end }: NoiseEvent) {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const margin = Math.max(to - from, 15_000);
  return { from: from - margin, to: to + margin };
}

const ABOVE_DEFAULT = 15;

/** Without what binary fractions add. */
const hundredths = (db: number) => Math.round(db * 100) / 100;

/** What makes an event: a level, or a distance from the background. */
export function EventRule({ view: { threshold, aboveBackground }, scale }: { view: View; scale: Scale }) {
  const isAbove = aboveBackground !== null;
  const change = (change: Partial<View>) => changeView(change, { step: false });
  const { unit, offset } = scale;
  return (
    <fieldset className="rule">
      <legend className="hidden">What makes a noise event</legend>
      <label>
        <input
          type="radio"
          name="rule"
          checked={!isAbove}
          onChange={() => change({ aboveBackground: null })}
        />
        above
      </label>
      <Decibels
        label={`Threshold, ${unit}`}
        unit={unit}
        range={[hundredths(QUIETEST + offset), hundredths(LOUDEST + offset)]}
        value={hundredths(threshold + offset)}
        isOff={isAbove}
        onChange={(level) =>
          change({ threshold: Math.min(Math.max(hundredths(level - offset), QUIETEST), LOUDEST) })
        }
      />
      <label>
        <input
          type="radio"
          name="rule"
          checked={isAbove}
          onChange={() => change({ aboveBackground: ABOVE_DEFAULT })}
        />
        above the background by
      </label>
      <Decibels
        label="Above the background by, dB"
        unit="dB"
        range={[3, 60]}
        value={aboveBackground ?? ABOVE_DEFAULT}
        isOff={!isAbove}
        onChange={(aboveBackground) => change({ aboveBackground })}
      />
    </fieldset>
  );
}

interface DecibelsProps {
  readonly label: string;
  readonly unit: string;
  readonly range: readonly [least: number, most: number];
  readonly value: number;
  readonly isOff: boolean;
  onChange(value: number): void;
}

function Decibels({ label, unit, range: [least, most], value, isOff, onChange }: DecibelsProps) {
  const [typed, setTyped] = useState<string>();
  const number = typed === undefined || typed === '' ? Number.NaN : Number(typed);
  const isWrong = typed !== undefined && !(number >= least && number <= most);
  return (
    <span>
      <input
        type="number"
        aria-label={label}
        aria-invalid={isWrong}
        step="any"
        min={least}
        max={most}
        disabled={isOff}
        value={typed ?? value}
        onChange={({ target }) => {
          setTyped(target.value);
          if (target.value !== '' && target.valueAsNumber >= least && target.valueAsNumber <= most)
            onChange(target.valueAsNumber);
        }}
        onBlur={() => setTyped(undefined)}
      />{' '}
      {unit}
      {isWrong && (
        <span role="alert">
          {' '}
          must be from {least} to {most}
        </span>
      )}
    </span>
  );
}
