// The events that stats.why found in the parts of the interval: the lane below the chart shows the same.
import { useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { bandText, countText, lengthText, levelText, timeText, zoneName } from '../locale-format.ts';
import { noEpisodesText } from '../state/causes.ts';
import { type Shown, useWhy } from '../state/shown.ts';
import { showInterval, timesIn } from '../state/shown-interval.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { DataTable } from './data-table.tsx';
import { useOneTabStop } from './keyboard-focus.ts';
import { PointsEnd } from './notices.tsx';
import { Panel } from './panel-frame.tsx';
import { NoEnergy } from './summary-figures.tsx';

const { events: words } = texts;

type Causes = Outputs['stats']['why']['parts'][number];

const KINDS: Partial<Record<Causes['episodes'][number]['kind'], string>> = words.kinds;

const ORDERS = ['time', 'level'] as const;

const [MOST, MOST_ON_PAPER] = [100, 20];

export function EventsPanel({ shown }: { shown: Shown }) {
  const { interval, isOnPaper } = shown;
  const { query, isTooLong } = useWhy(shown);
  const [chosen, setOrder] = useState<(typeof ORDERS)[number]>('time');
  const order = isOnPaper ? 'level' : chosen;
  const stops = useOneTabStop<HTMLDivElement>('button.link');
  const parts = query.data?.parts ?? [];
  const scale = scaleIn(query.data?.scale);
  const episodes = parts.flatMap((part) => part.episodes).filter(({ kind }) => KINDS[kind]);
  const count = episodes.reduce((sum, { run_count }) => sum + run_count, 0);
  const listed = episodes
    .flatMap(({ runs, kind, band_main_hz }) => runs.map((run) => ({ ...run, kind, band_main_hz })))
    .toSorted(
      (a, b) => (order === 'level' && (b.max_db ?? 0) - (a.max_db ?? 0)) || (a.from < b.from ? 1 : -1),
    )
    .slice(0, isOnPaper ? MOST_ON_PAPER : MOST);
  const isEmpty = query.data && scale.hasEnergy && count === 0;
  const none = isTooLong ? texts.why.tooLong : isEmpty && noneText(parts, query.data?.history_until);
  return (
    <Panel
      title={isOnPaper ? words.loudest : words.title}
      meaning="event"
      className="events"
      query={query}
      tools={
        <fieldset className="group">
          <legend className="hidden">{words.order}</legend>
          {ORDERS.map((name) => (
            <button key={name} type="button" aria-pressed={name === order} onClick={() => setOrder(name)}>
              {words.orders[name]}
            </button>
          ))}
        </fieldset>
      }
    >
      <NoEnergy scale={scale} interval={interval} />
      <PointsEnd of={query.data} />
      {none && <p className="soft">{none}</p>}
      <div {...stops}>
        {listed.length > 0 && (
          <DataTable
            caption={words.caption(countText(listed.length), count, countText(count), scale.unit)}
            columns={words.columns(zoneName(interval.from), scale.maximum)}
            rows={listed.map(({ from, to, max_db, band_main_hz, kind }) => [
              `${kind} ${from}`,
              <button key="start" type="button" className="link" onClick={() => showAround({ from, to })}>
                {timeText(from)}
              </button>,
              lengthText((Date.parse(to) - Date.parse(from)) / 1000),
              levelText(max_db, scale),
              bandText(band_main_hz),
              KINDS[kind],
            ])}
          />
        )}
      </div>
    </Panel>
  );
}

/** Why there are no events, or since when there are none. */
function noneText(parts: readonly Causes[], pointsSince: string | undefined): string {
  const why = noEpisodesText(parts);
  if (parts.every(({ episodes }) => episodes.length === 0)) return why ?? texts.why.none;
  return why || words.none(pointsSince ? texts.since(timeText(pointsSince, 'minute')) : '');
}

/** Shows an event with a margin of its own length on both sides, at least 15 s. */
function showAround(run: { readonly from: string; readonly to: string }): void {
  const { from, to } = timesIn(run);
  const margin = Math.max(to - from, 15_000);
  showInterval({ from: from - margin, to: to + margin });
  document.getElementById('level')?.scrollIntoView({ block: 'nearest' });
}
