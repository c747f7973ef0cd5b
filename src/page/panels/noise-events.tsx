// The table of noise events: by time or by level, page by page; a click shows an event in the chart.
import type { ListedEvent } from '../charts/level-chart-data.ts';
import {
  countText,
  decibelText,
  hertzText,
  lengthText,
  leqText,
  levelText,
  NOTHING,
  signBefore,
  timeText,
  zoneName,
} from '../locale-format.ts';
import type { Scale } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { useOneTabStop, usePassFocusOn } from './keyboard-focus.ts';
import { ScrollingTable } from './scrolling-table.tsx';

const { events: words } = texts;

interface EventsProps {
  readonly events: readonly ListedEvent[];
  /** The number of events in the interval; undefined while unknown. */
  readonly count: number | undefined;
  readonly scale: Scale;
  readonly onChoose: (event: ListedEvent) => void;
  /** Undefined if there are no more. */
  readonly onMore?: (() => void) | undefined;
  /** The end of the listed interval, if the list is held while the page moves on. */
  readonly heldAt?: number | undefined;
  readonly onLetGo?: () => void;
}

export function NoiseEvents({ events, count, scale, onChoose, onMore, heldAt, onLetGo }: EventsProps) {
  const stops = useOneTabStop<HTMLDivElement>('button.link');
  const [passOnNew, passOnMore] = [usePassFocusOn(), usePassFocusOn()];
  const [first] = events;
  if (!first) return <p className="soft">{words.none}</p>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys act on the buttons in it
    <div ref={stops.ref} onKeyDown={stops.onKeyDown} onFocus={stops.onFocus}>
      <ScrollingTable
        label={words.table}
        caption={words.caption(
          countText(events.length),
          count ?? 0,
          count === undefined ? '…' : countText(count),
          scale.unit,
        )}
        columns={eventColumns(first, scale)}
        rows={events.map((event) => [
          event.start,
          <button key="start" type="button" className="link" onClick={() => onChoose(event)}>
            {timeText(event.start)}
          </button>,
          ...eventCells(event, scale),
        ])}
      />
      {events.some(({ sel_db, sel_complete }) => sel_db !== null && !sel_complete) && (
        <p className="hint">{words.incomplete}</p>
      )}
      {heldAt !== undefined && (
        <p className="hint">
          {words.upTo(timeText(heldAt))}{' '}
          <button type="button" ref={passOnNew} onClick={onLetGo}>
            {words.showNew}
          </button>
        </p>
      )}
      {onMore && (
        <button type="button" ref={passOnMore} onClick={onMore}>
          {words.more}
        </button>
      )}
    </div>
  );
}

/** Leaves out Leq and SEL if levels are maxima of long windows. */
function eventColumns({ start }: ListedEvent, { maximum, hasEnergy }: Scale): string[] {
  const { from, duration, frequency } = words.columns;
  return [from(zoneName(start)), duration, maximum, ...(hasEnergy ? ['Leq', 'SEL'] : []), frequency];
}

/** The cells beside the start of an event. */
function eventCells(event: ListedEvent, scale: Scale): string[] {
  const { sel_db } = event;
  const sel = sel_db === null ? NOTHING : `${signBefore(event, scale)}${decibelText(sel_db)}`;
  return [
    event.open ? words.soFar(lengthText(event.duration_seconds)) : lengthText(event.duration_seconds),
    levelText(event.peak_db, scale),
    ...(scale.hasEnergy ? [leqText(event, scale), `${sel}${event.sel_complete ? '' : '*'}`] : []),
    hertzText(event.dominant_frequency_hz),
  ];
}

/** The event with a margin of its own length on both sides, at least 15 s. */
export function aroundEvent({ start, end }: ListedEvent) {
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const margin = Math.max(to - from, 15_000);
  return { from: from - margin, to: to + margin };
}
