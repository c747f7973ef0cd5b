// The panels of the page. Each panel loads its own data.
import { memo, useEffect, useRef, useState } from 'react';
import { Cards } from './cards/cards.tsx';
import type { ListedEvent } from './charts/level-chart-data.ts';
import { DaysPanel } from './panels/days.tsx';
import { EventsPanel } from './panels/events-panel.tsx';
import { LevelPanel } from './panels/level-panel.tsx';
import { LimitsPanel } from './panels/limits.tsx';
import { aroundEvent } from './panels/noise-events.tsx';
import { QualityPanel } from './panels/quality.tsx';
import { RangeControl } from './panels/range-control.tsx';
import { FiguresPanel } from './panels/summary-figures.tsx';
import { WhyPanel } from './panels/why-panel.tsx';
import type { ShownState } from './state/live-level.ts';
import { type Shown, spansDays } from './state/shown.ts';
import { showInterval } from './state/shown-interval.ts';

interface Props {
  readonly shown: Shown;
  readonly state: ShownState['state'];
  /** Whether the page listens to new points. */
  readonly isLive: boolean;
}

/** Memoized, so that a live point rerenders only the header. */
export const Dashboard = memo(function Dashboard({ shown, state, isLive }: Props) {
  const { view, interval, info } = shown;
  const [chosen, setChosen] = useState<ListedEvent>();
  const level = useRef<HTMLDivElement>(null);
  const last = useRef(view);
  useEffect(() => {
    if (last.current !== view && document.activeElement === document.body)
      level.current?.focus({ preventScroll: true }); // the pressed button is gone
    last.current = view;
  }, [view]);
  const choose = (event: ListedEvent) => {
    setChosen(event);
    showInterval(aroundEvent(event));
    level.current?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <Cards info={info} state={state} isLive={isLive} />
      <RangeControl view={view} interval={interval} isRecording={state === 'recording'} />
      <LevelPanel shown={shown} isLive={isLive} chosen={chosen} focus={level} />
      <div className="columns">
        <WhyPanel shown={shown} />
        <EventsPanel shown={shown} onChoose={choose} />
        {info.limits.length > 0 && <LimitsPanel shown={shown} />}
        <FiguresPanel shown={shown} />
        {spansDays(shown) && <DaysPanel shown={shown} />}
        <QualityPanel shown={shown} />
      </div>
    </>
  );
});
