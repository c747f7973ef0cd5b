// The panel of noise events, page by page; on paper, the loudest. Its interval is held while the reader turns pages.
import { useState } from 'react';
import type { ListedEvent } from '../charts/level-chart-data.ts';
import { type EventOrder, useEvents } from '../state/api-queries.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { type Shown, useLane } from '../state/shown.ts';
import { movesOn } from '../state/shown-interval.ts';
import { scaleIn } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { NoiseEvents } from './noise-events.tsx';
import { Panel } from './panel-frame.tsx';

const { events: words } = texts;

const ORDERS: readonly EventOrder[] = ['time', 'level'];

/** How many events are on paper. */
const MOST_ON_PAPER = 20;

interface Props {
  readonly shown: Shown;
  readonly onChoose: (event: ListedEvent) => void;
}

export function EventsPanel({ shown, onChoose }: Props) {
  const { view, interval, isOnPaper } = shown;
  const [order, setOrder] = useState<EventOrder>('time');
  const { held, hold, letGo } = useHeldInterval(JSON.stringify([view, order]));
  const listed = useEvents(held ?? interval, order);
  const top = useEvents(interval, 'level'); // requested early: printing does not wait
  const lane = useLane(shown);
  const events = isOnPaper ? top : listed;
  const all = events.data?.pages.flatMap((page) => page.events);
  const showMore = () => {
    hold(held ?? interval);
    void events.fetchNextPage();
  };
  return (
    <Panel
      title={isOnPaper ? words.loudest : words.title}
      meaning="event"
      className="events"
      query={events}
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
      {all && (
        <NoiseEvents
          events={isOnPaper ? all.slice(0, MOST_ON_PAPER) : all}
          count={held && held !== interval && !isOnPaper ? undefined : lane.data?.event_count}
          scale={scaleIn(events.data?.pages[0]?.scale)}
          onChoose={onChoose}
          onMore={events.hasNextPage ? showMore : undefined}
          heldAt={held && movesOn(view) && !isOnPaper ? held.to : undefined}
          onLetGo={letGo}
        />
      )}
    </Panel>
  );
}

/**
 * Holds an interval while a reader turns pages, so that live updates do not restart the list.
 *
 * @param key identifies the list: another key releases the interval
 */
function useHeldInterval(key: string) {
  const [held, setHeld] = useState<{ key: string; interval: TimeSpan }>();
  if (held && held.key !== key) setHeld(undefined);
  return {
    held: held?.key === key ? held.interval : undefined,
    hold: (interval: TimeSpan) => setHeld({ key, interval }),
    letGo: () => setHeld(undefined),
  };
}
