// The table of noise events: by time, by level or by duration, page by page; a click shows one in the chart.
import type { Scale } from '../../contract/shown-scale.ts';
import type { NoiseEvent } from '../charts/level-chart-data.ts';
import { countText, hertzText, lengthText, levelText, timeText, zoneName } from '../locale-format.ts';
import type { EventOrder } from '../state/api-queries.ts';
import { useOneTabStop } from './one-tab-stop.ts';
import { passFocusOn } from './pass-focus-on.ts';
import { Table, TableRow } from './scrolling-table.tsx';

interface EventsProps {
  readonly events: readonly NoiseEvent[];
  /** All of the interval; undefined while it is not known. */
  readonly count: number | undefined;
  readonly scale: Scale;
  readonly onChoose: (event: NoiseEvent) => void;
  /** Undefined where there are no more. */
  readonly onMore: (() => void) | undefined;
  /** Up to when they are listed, where new ones are not while the rest of the page goes on. */
  readonly heldAt: number | undefined;
  readonly onLetGo: () => void;
}

export function NoiseEvents({ events, count, scale, onChoose, onMore, heldAt, onLetGo }: EventsProps) {
  const stops = useOneTabStop<HTMLDivElement>('button.link', 1);
  const [first] = events;
  if (!first) return <p className="soft">No noise events in this interval.</p>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it are what keys act on
    <div ref={stops.ref} onKeyDown={stops.onKeyDown} onFocus={stops.onFocus}>
      <Table
        label="Noise events as a table"
        caption={`${countText(events.length)} of ${count === undefined ? '…' : countText(count)} ${count === 1 ? 'event' : 'events'}; levels in ${scale.unit}, Lmax of windows`}
        columns={eventColumns(first)}
      >
        <tbody>
          {events.map((event) => (
            <TableRow
              key={event.start}
              of={
                <button type="button" className="link" onClick={() => onChoose(event)}>
                  {timeText(event.start)}
                </button>
              }
              cells={eventCells(event, scale)}
            />
          ))}
        </tbody>
      </Table>
      <IncompleteSel of={events} />
      {heldAt !== undefined && (
        <p className="hint">
          Events up to {timeText(heldAt)}.{' '}
          <button type="button" ref={passFocusOn} onClick={onLetGo}>
            Show new ones
          </button>
        </p>
      )}
      {onMore && (
        <button type="button" ref={passFocusOn} onClick={onMore}>
          More events
        </button>
      )}
    </div>
  );
}

export const eventColumns = ({ start }: NoiseEvent) => [
  `Start, ${zoneName(start)}`,
  'Duration',
  'Lmax',
  'Leq',
  'SEL',
  'Frequency',
];

/** What stands beside the start of an event. */
export function eventCells(event: NoiseEvent, scale: Scale): string[] {
  const level = (db: number | null) => levelText(db, scale);
  return [
    `${lengthText(event.duration_seconds)}${event.open ? ' so far' : ''}`,
    level(event.peak_db),
    level(event.leq_db),
    `${level(event.sel_db)}${event.sel_complete ? '' : '*'}`,
    hertzText(event.dominant_frequency_hz),
  ];
}

/** What the star at a SEL means, where one has it. */
export function IncompleteSel({ of }: { of: readonly NoiseEvent[] }) {
  if (of.every(({ sel_complete }) => sel_complete)) return null;
  return <p className="hint">* Lmax is less than 10 dB above the threshold: SEL lacks what lies below.</p>;
}

export const EVENT_ORDERS: Readonly<Record<EventOrder, string>> = {
  time: 'newest',
  level: 'loudest',
  duration: 'longest',
};

/** The event with a margin of its own length on both sides, at least 15 s. */
export function aroundEvent({ start, end }: NoiseEvent) {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const margin = Math.max(to - from, 15_000);
  return { from: from - margin, to: to + margin };
}
