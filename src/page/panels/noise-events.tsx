// The table of noise events, newest first; a click zooms in on one.
import type { NoiseEvent } from '../charts/level-chart-layers.ts';
import { countText, hertzText, lengthText, levelText, type Scale, timeText } from '../locale-format.ts';
import { showInterval } from '../state/shown-interval.ts';
import { Table, TableRow } from './scrolling-table.tsx';

interface EventsProps {
  readonly events: readonly NoiseEvent[];
  readonly scale: Scale;
  /** Undefined where there are no more. */
  readonly onMore: (() => void) | undefined;
}

export function NoiseEvents({ events, scale, onMore }: EventsProps) {
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
            <TableRow
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

/** The event with a margin of its own length on both sides, at least 15 s. */
function around({ start, end }: NoiseEvent) {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const margin = Math.max(to - from, 15_000);
  return { from: from - margin, to: to + margin };
}
