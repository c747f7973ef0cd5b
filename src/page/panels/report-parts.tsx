// Parts of a report that look different on screen: a heading without tools, a still chart, the loudest events.
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import type { Outputs } from '../../client/index.ts';
import type { ChartData } from '../charts/level-chart-data.ts';
import { chartText, keyOf } from '../charts/level-chart-key.ts';
import { drawForPaper } from '../charts/paper-chart.ts';
import { countText, timeText } from '../locale-format.ts';
import { extentOf } from '../state/limit-extent.ts';
import type { Scale } from '../state/scale.ts';
import { texts } from '../texts/texts.ts';
import { Legend } from './level.tsx';
import { type AgainstLimits, sentenceOf, verdictOf } from './limit-verdict.ts';
import { eventCells, eventColumns, IncompleteSel } from './noise-events.tsx';
import { Table, TableRow } from './scrolling-table.tsx';

const { report: words } = texts;

interface PartProps {
  readonly title: string;
  readonly note?: string;
  /** Whether its answer had arrived at the time of printing. */
  readonly isKnown: boolean;
  readonly children: ReactNode;
}

export function Part({ title, note, isKnown, children }: PartProps) {
  return (
    <section>
      <h2>
        {title} {note && <small className="soft">{note}</small>}
      </h2>
      {isKnown ? children : <p className="soft">{words.notKnown}</p>}
    </section>
  );
}

const MARKS = { over: '▲', under: '✓', undecided: '?' };

/** A line for each limit that levels are compared with. */
export function Verdicts({ of }: { of: AgainstLimits }) {
  return (
    <ul className="verdicts">
      {of.limits.map(
        (limit) =>
          limit.state && (
            <li key={limit.start}>
              <strong className={limit.state}>
                {MARKS[limit.state]} {limit.start}–{limit.end}:{' '}
                {sentenceOf(limit.state, extentOf(of, [limit], of))}
              </strong>{' '}
              {verdictOf(limit, limit.state, of)}
            </li>
          ),
      )}
    </ul>
  );
}

/** Chart heights in CSS pixels. The low one leaves room for twenty events on the same page. */
const [HIGH, LOW] = [300, 192];

export function PaperChart({ data, isHigh }: { data: ChartData; isHigh: boolean }) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(
    () => frame.current?.replaceChildren(drawForPaper(data, isHigh ? HIGH : LOW)),
    [data, isHigh],
  );
  return (
    <>
      <Legend text={chartText(data)} marks={keyOf(data)} />
      <div ref={frame} className="paper-chart" />
    </>
  );
}

export function LoudestEvents({ top, scale }: { top: Outputs['events']['top']; scale: Scale }) {
  const { events, event_count } = top;
  const cut = event_count > events.length ? words.cut(events.length, countText(event_count)) : '';
  const [first] = events;
  if (!first) return <p className="soft">{texts.events.none}</p>;
  return (
    <>
      <Table
        label={words.loudestTable}
        caption={`${cut}${words.levelsIn(scale.unit)}`}
        columns={eventColumns(first, scale)}
      >
        <tbody>
          {events.map((event) => (
            <TableRow key={event.start} of={timeText(event.start)} cells={eventCells(event, scale)} />
          ))}
        </tbody>
      </Table>
      <IncompleteSel of={events} />
    </>
  );
}
