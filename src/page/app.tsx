// The page of a station: its header, its panels once the service is known, and any trouble.
import { useQueryClient } from '@tanstack/react-query';
import { memo, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { isServiceError } from '../client/service-error.ts';
import { Cards } from './cards/cards.tsx';
import { Header } from './header.tsx';
import { LevelPanel } from './panels/level-panel.tsx';
import { NightsPanel } from './panels/nights-panel.tsx';
import { Empty, KeyForm, RecorderDown, StatisticsBehind, Trouble, WrongAddress } from './panels/notices.tsx';
import { ReportFoot, ReportHead } from './panels/report.tsx';
import { TablesPanel } from './panels/tables-panel.tsx';
import { WhyPanel } from './panels/why-panel.tsx';
import { isRetried, tookTooLong } from './state/answer-faults.ts';
import { useInfo } from './state/api-queries.ts';
import { isYear } from './state/calendar-intervals.ts';
import { type ShownState, useIsSeen, useStationState } from './state/live-level.ts';
import { useReport } from './state/report.ts';
import { pageTitle } from './state/service-url.ts';
import { EARLIER, type Shown } from './state/shown.ts';
import { useInterval } from './state/shown-interval.ts';
import type { Info } from './state/site.ts';
import { showFresh, useView, type View } from './state/view-in-address.ts';
import { texts } from './texts/texts.ts';
import { YearPanel } from './year/year-panel.tsx';

export function App() {
  const { view, wrong } = useView();
  const { data: info } = useInfo();
  const failures = useFailures();
  const needsKey = failures.some((error) => isServiceError(error) && error.data.httpStatus === 401);
  const trouble = failures.find(isRetried) ?? failures.find(tookTooLong);
  const isLive = useIsSeen() && view.isLive;
  const state = useStationState(isLive && info !== undefined);
  const report = useReport();
  const name = pageTitle(info);
  useEffect(() => {
    document.title = name;
  }, [name]);
  return (
    <>
      <a className="skip" href="#level">
        {texts.skip}
      </a>
      {info && info.newest !== null ? (
        <Station view={view} info={info} isLive={isLive} state={state} report={report} />
      ) : (
        <>
          <Header info={info} shown={undefined} state={state} isLive={isLive} report={report} />
          <main>{info ? <Empty /> : <div className="waiting" />}</main>
        </>
      )}
      <aside className="notices">
        {wrong.length > 0 && <WrongAddress names={wrong} />}
        {needsKey ? <KeyForm /> : trouble !== undefined && <Trouble error={trouble} />}
        {info?.recorder?.running === false && <RecorderDown recorder={info.recorder} />}
      </aside>
    </>
  );
}

interface StationProps {
  readonly view: View;
  readonly info: Info;
  readonly isLive: boolean;
  readonly state: ShownState;
  readonly report: ReturnType<typeof useReport>;
}

function Station({ view: chosen, info, isLive, state, report }: StationProps) {
  const { oldest, points_since } = info;
  const view = useMemo(() => showFresh(chosen, oldest), [chosen, oldest]);
  const interval = useInterval(view, isLive, points_since);
  const { isPrinting: isOnPaper, isWaiting: isReportRequested } = report;
  const shown: Shown = useMemo(
    () => ({ view, interval, info, isOnPaper, isReportRequested }),
    [view, interval, info, isOnPaper, isReportRequested],
  );
  return (
    <>
      <Header info={info} shown={shown} state={state} isLive={isLive} report={report} />
      <main>
        {report.isPrinting && <ReportHead shown={shown} />}
        <Panels shown={shown} isLive={isLive} isRecording={state.state === 'recording'} />
        {info.rollup_refresh && info.rollup_refresh.state !== 'current' && (
          <StatisticsBehind refresh={info.rollup_refresh} />
        )}
        {report.isPrinting && <ReportFoot shown={shown} />}
      </main>
    </>
  );
}

type PanelsProps = Pick<StationProps, 'isLive'> & { readonly shown: Shown; readonly isRecording: boolean };

/** Too loud? When? By what? Is it usual? Memoized, so that a live point rerenders only the header. */
const Panels = memo(function Panels({ shown, isLive, isRecording }: PanelsProps) {
  const { view } = shown;
  const isOfYear = isYear(view.preset);
  const level = useRef<HTMLDivElement>(null);
  const last = useRef(view);
  useEffect(() => {
    if (last.current !== view && document.activeElement === document.body)
      level.current?.focus({ preventScroll: true }); // the pressed button is gone
    last.current = view;
  }, [view]);
  return (
    <>
      <Cards shown={shown} />
      <div ref={level} id="level" tabIndex={-1}>
        {isOfYear ? (
          <YearPanel shown={shown} isRecording={isRecording} />
        ) : (
          <LevelPanel shown={shown} isLive={isLive} isRecording={isRecording} />
        )}
      </div>
      {!isOfYear && <WhyPanel shown={shown} />}
      {!isOfYear && <NightsPanel shown={shown} />}
      <TablesPanel shown={shown} />
    </>
  );
});

/** @returns the errors of the queries on screen, one per query; the same array while nothing changes */
function useFailures(): readonly unknown[] {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const now = cache
        .getAll()
        .filter((query) => query.isActive() && query.queryKey[0] !== EARLIER)
        .flatMap((query) => query.state.fetchFailureReason ?? []);
      const isSame = now.length === last.length && now.every((failure, index) => failure === last[index]);
      if (!isSame) last = now;
      return last;
    },
  );
}

/** The last result: a store must return the same array while nothing changes. */
let last: readonly unknown[] = [];
