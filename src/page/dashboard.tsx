// The panels of the page. Each panel loads its own data.
import { memo, useEffect, useRef, useState } from 'react';
import { Cards } from './cards/cards.tsx';
import type { ListedEvent } from './charts/level-chart-data.ts';
import { lengthText } from './locale-format.ts';
import { Days } from './panels/days.tsx';
import { EventsPanel } from './panels/events-panel.tsx';
import { LevelPanel } from './panels/level-panel.tsx';
import { LimitTables } from './panels/limits.tsx';
import { aroundEvent } from './panels/noise-events.tsx';
import { Panel } from './panels/panel-frame.tsx';
import { QualityText } from './panels/quality.tsx';
import { RangeControl } from './panels/range-control.tsx';
import { HowToCalibrate, NoEnergy, SummaryFigures, useSecondLevel } from './panels/summary-figures.tsx';
import { WorstPanel } from './panels/worst-panel.tsx';
import { useFastMaxima, withMaxima } from './state/fast-station.ts';
import type { ShownState } from './state/live-level.ts';
import { type Shown, spansDays, useDays, useLimits, useQuality, useSummary } from './state/shown.ts';
import { showInterval } from './state/shown-interval.ts';
import { scaleIn } from './state/site.ts';
import { texts } from './texts/texts.ts';

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
        <WorstPanel shown={shown} />
        <EventsPanel shown={shown} onChoose={choose} />
        {info.limits.length > 0 && <LimitsPanel shown={shown} />}
        <FiguresPanel shown={shown} />
        {spansDays(shown) && <DaysPanel shown={shown} />}
        <QualityPanel shown={shown} />
      </div>
    </>
  );
});

function FiguresPanel({ shown }: { shown: Shown }) {
  const summary = useSummary(shown);
  const second = useSecondLevel(shown.interval);
  const { excluded_seconds = 0, scale: stated } = summary.data ?? {};
  const scale = scaleIn(stated);
  return (
    <Panel title={texts.figures.title} className="first" query={summary}>
      <SummaryFigures summary={summary.data} scale={scale} second={second} />
      {excluded_seconds > 0 && <p className="hint">{texts.leftOut(lengthText(excluded_seconds))}</p>}
      <NoEnergy scale={scale} interval={shown.interval} />
      {scale.unit === 'dBFS' && <HowToCalibrate />}
    </Panel>
  );
}

function LimitsPanel({ shown }: { shown: Shown }) {
  const limits = useLimits(shown);
  const maxima = useFastMaxima(shown);
  return (
    <Panel title={texts.limits.title} meaning="limits" className="full" query={limits}>
      {limits.data && <LimitTables answer={withMaxima(limits.data, maxima)} />}
    </Panel>
  );
}

function DaysPanel({ shown }: { shown: Shown }) {
  const days = useDays(shown);
  return (
    <Panel title={texts.days.title} meaning="lden" query={days}>
      {days.data && <Days days={days.data} shown={shown} />}
    </Panel>
  );
}

function QualityPanel({ shown }: { shown: Shown }) {
  const quality = useQuality(shown);
  return (
    <Panel title={texts.quality.title} meaning="measured" className="quality" query={quality}>
      {quality.data && <QualityText quality={quality.data} most={shown.isOnPaper ? 10 : 20} />}
    </Panel>
  );
}
