// The page: the queries for the interval on screen, and the panels that show their answers.
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Outputs } from '../client/index.ts';
import { isServiceError } from '../client/service-error.ts';
import type { ChartData } from './charts/level-chart-layers.ts';
import { scaleOf, TIME_ZONE, zoneText } from './locale-format.ts';
import { Days } from './panels/days.tsx';
import { captionOf, Downloads } from './panels/downloads.tsx';
import { FrequencyTable, HeatMap } from './panels/frequencies.tsx';
import { IntervalControls } from './panels/interval-controls.tsx';
import { LevelChart, LevelTable } from './panels/level.tsx';
import { LiveMeter } from './panels/live-meter.tsx';
import { NoiseEventRule } from './panels/noise-event-rule.tsx';
import { NoiseEvents } from './panels/noise-events.tsx';
import {
  Empty,
  KeyForm,
  NoPoints,
  RecorderDown,
  SeveralPeriods,
  Trouble,
  WrongAddress,
} from './panels/notices.tsx';
import { Panel } from './panels/panel-frame.tsx';
import { GapStrip, QualityText } from './panels/quality.tsx';
import { SummaryFigures } from './panels/summary-figures.tsx';
import { ThemeSwitch } from './panels/theme-switch.tsx';
import { isAskedAgain } from './state/answer-faults.ts';
import { useApiQuery, useEvents, useInfo } from './state/api-queries.ts';
import { useIsSeen, useLiveTail } from './state/live-level.ts';
import { asInput, useInterval } from './state/shown-interval.ts';
import { changeView, DAY_MS, useView } from './state/view-in-address.ts';

type LevelScale = Outputs['stats']['summary']['scale'];

/** The most buckets of a chart, by the width of the page: more would hide the line of Leq. */
const chartPoints = (width: number) => (width < 600 ? 200 : width < 1100 ? 400 : width < 2000 ? 800 : 1200);

const subscribeToSize = (listener: () => void) => {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
};

export function App() {
  const { view, wrong } = useView();
  const isSeen = useIsSeen();
  const isLive = view.isLive && isSeen;
  const interval = useInterval(view, isLive);
  const [isTable, setTable] = useState(false);
  const [canvas, setCanvas] = useState<HTMLCanvasElement | null>(null);

  const usual = useSyncExternalStore(subscribeToSize, () => chartPoints(innerWidth));
  const leastBuckets = Math.ceil((interval.to - interval.from) / DAY_MS) + 1; // a bucket is a day at most

  const info = useInfo();
  const times = asInput(interval);
  const ofLevels = { ...times, max_points: Math.max(usual, leastBuckets) };
  const series = useApiQuery('stats.series', ofLevels, ({ stats }) => stats.series.query);
  const summary = useApiQuery('stats.summary', times, ({ stats }) => stats.summary.query);
  const events = useEvents(interval, view);
  const quality = useApiQuery('stats.quality', times, ({ stats }) => stats.quality.query);
  const ofBands = { ...times, max_points: Math.max(usual / 2, leastBuckets) };
  const frequencies = useApiQuery('stats.frequencies', ofBands, ({ stats }) => stats.frequencies.query);
  const spansDays = interval.to - interval.from > DAY_MS;
  const ofDays = { ...times, time_zone: TIME_ZONE };
  const days = useApiQuery('stats.days', ofDays, ({ stats }) => stats.days.query, spansDays);

  const answers = [
    info,
    ...[series, summary, events, quality, frequencies, days].map(({ answer }) => answer),
  ];
  const failures = answers.flatMap(({ failureReason }) => failureReason ?? []);
  const needsKey = failures.some((error) => isServiceError(error) && error.data.httpStatus === 401);
  const trouble = failures.find(isAskedAgain);
  const offset = info.data?.calibration_offset_db;
  const scaleIn = (answer: { readonly scale: LevelScale } | undefined) => scaleOf(answer?.scale, offset);
  const scale = scaleIn(summary.answer.data);
  const { hasNextPage: hasMoreEvents } = events.answer;
  const pages = events.answer.data?.pages;
  const shown = useMemo(() => pages?.flatMap((page) => page.events) ?? [], [pages]);
  const threshold = view.aboveBackground === null ? view.threshold : null;
  const drawn = useLiveTail(series.answer.data, interval, view, isLive);
  const chart = useMemo<ChartData | undefined>(
    () =>
      drawn.series && {
        interval: drawn.interval,
        series: drawn.series,
        events: shown,
        hasMoreEvents,
        scale: scaleOf(drawn.series.scale, offset),
        threshold,
      },
    [drawn, shown, hasMoreEvents, offset, threshold],
  );
  const frequencyMap = useMemo(
    () => frequencies.answer.data && { interval, frequencies: frequencies.answer.data },
    [frequencies.answer.data, interval],
  );
  const isWithout = summary.answer.data?.point_count === 0;

  const showOlder = () => {
    changeView(times, { step: true }); // fixes its times
    void events.answer.fetchNextPage();
  };

  return (
    <>
      <header className="top">
        <h1>Audio Metrics</h1>
        <a href="/docs">API reference</a>
        <ThemeSwitch />
      </header>
      <main>
        {wrong.length > 0 && <WrongAddress names={wrong} />}
        {needsKey ? <KeyForm /> : trouble && <Trouble error={trouble} />}
        {info.data?.recorder?.running === false && <RecorderDown recorder={info.data.recorder} />}
        {info.data?.newest === null && <Empty />}
        <LiveMeter
          isOn={view.isLive}
          isSeen={isSeen}
          scale={scaleOf(info.data?.periods[0], offset)}
          newest={info.data?.newest}
        />
        <IntervalControls view={view} interval={interval} />
        {isWithout && info.data?.newest && <NoPoints interval={interval} newest={info.data.newest} />}
        {summary.answer.data && summary.answer.data.scale.recording_period_count > 1 && (
          <SeveralPeriods scale={summary.answer.data.scale} />
        )}
        <Panel title="Figures" query={summary}>
          <SummaryFigures summary={summary.answer.data} scale={scale} />
        </Panel>
        <Panel
          title="Level"
          query={series}
          tools={
            <label className="switch">
              <input type="checkbox" checked={isTable} onChange={({ target }) => setTable(target.checked)} />
              As a table
            </label>
          }
        >
          {chart && (
            <>
              <LevelChart data={chart} onCanvas={setCanvas} />
              {quality.answer.data && <GapStrip quality={quality.answer.data} interval={chart.interval} />}
              {isTable && <LevelTable series={chart.series} scale={chart.scale} />}
            </>
          )}
          <Downloads
            interval={interval}
            pointCount={summary.answer.isPlaceholderData ? undefined : summary.answer.data?.point_count}
            canvas={canvas}
            caption={captionOf(interval, (chart?.scale ?? scale).unit)}
          />
        </Panel>
        <Panel title="Dominant frequencies" query={frequencies}>
          {frequencyMap && <HeatMap data={frequencyMap} />}
          {isTable && frequencyMap && <FrequencyTable frequencies={frequencyMap.frequencies} />}
        </Panel>
        <div className="columns">
          <Panel title="Noise events" query={events} tools={<NoiseEventRule view={view} scale={scale} />}>
            {events.answer.data && (
              <NoiseEvents
                events={shown}
                scale={scaleIn(pages?.[0])}
                onMore={hasMoreEvents ? showOlder : undefined}
              />
            )}
          </Panel>
          <Panel title="Quality" query={quality}>
            {quality.answer.data && <QualityText quality={quality.answer.data} />}
          </Panel>
          {spansDays && (
            <Panel title="Days" query={days}>
              {days.answer.data && <Days days={days.answer.data} scale={scaleIn(days.answer.data)} />}
            </Panel>
          )}
        </div>
      </main>
      <footer className="soft">
        Times are of {zoneText(interval.to)}. Version {info.data?.version}, {info.data?.database}.
      </footer>
    </>
  );
}
