// The panels of the page, with the questions whose answers they show.
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Outputs } from '../client/index.ts';
import { scaleOf } from '../contract/shown-scale.ts';
import type { ChartData, NoiseEvent } from './charts/level-chart-data.ts';
import { chartText, keyOf } from './charts/level-chart-key.ts';
import { limitSteps } from './charts/limit-steps.ts';
import { intervalText, zonesText } from './locale-format.ts';
import { Choice } from './panels/choice.tsx';
import { CompareChoice } from './panels/compare-choice.tsx';
import { DayByHour, HOUR_METRICS, type HourMetric, MOST_HOURS_MS } from './panels/day-by-hour.tsx';
import { Days } from './panels/days.tsx';
import { Downloads } from './panels/downloads.tsx';
import { FrequencyTable, HeatMap } from './panels/frequencies.tsx';
import { HowToCalibrate } from './panels/how-to-calibrate.tsx';
import { IntervalControls } from './panels/interval-controls.tsx';
import { LastNight } from './panels/last-night.tsx';
import { LevelChart, LevelTable } from './panels/level.tsx';
import { Limits } from './panels/limits.tsx';
import { LiveMeter } from './panels/live-meter.tsx';
import { Loudest } from './panels/loudest.tsx';
import { NoiseEventRule } from './panels/noise-event-rule.tsx';
import { aroundEvent, EVENT_ORDERS, NoiseEvents } from './panels/noise-events.tsx';
import { NoPoints, SeveralPeriods } from './panels/notices.tsx';
import { Panel } from './panels/panel-frame.tsx';
import { GapStrip, QualityText } from './panels/quality.tsx';
import { Report } from './panels/report.tsx';
import { levelFigures, SummaryFigures } from './panels/summary-figures.tsx';
import { ThisInterval } from './panels/this-interval.tsx';
import type { EventOrder } from './state/api-queries.ts';
import { useHeldInterval } from './state/held-interval.ts';
import { useIsSeen, useLiveTail } from './state/live-level.ts';
import { usePanelQueries } from './state/panel-queries.ts';
import { useReport } from './state/report.ts';
import { followsNow, movesOn, showInterval, useInterval } from './state/shown-interval.ts';
import { timeZone } from './state/time-zone.ts';
import { DAY_MS, type View } from './state/view-in-address.ts';

/** The most buckets of a chart, by the width of the page: more would hide the line of Leq. */
const chartPoints = (width: number) => (width < 600 ? 200 : width < 1100 ? 400 : width < 2000 ? 800 : 1200);

const subscribeToSize = (listener: () => void) => {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
};

export function Dashboard({ view, info }: { view: View; info: Outputs['service']['info'] }) {
  const isSeen = useIsSeen();
  const isLive = view.isLive && isSeen;
  const interval = useInterval(view, isLive);
  const [isTable, setTable] = useState(false);
  const [canvas, setCanvas] = useState<HTMLCanvasElement | null>(null);
  const [order, setOrder] = useState<EventOrder>('time');
  const [metric, setMetric] = useState<HourMetric>('leq');
  const [chosen, setChosen] = useState<NoiseEvent>();
  const { held, hold, letGo } = useHeldInterval(JSON.stringify([view, order]));
  const level = useRef<HTMLDivElement>(null);

  const buckets = useSyncExternalStore(subscribeToSize, () => chartPoints(innerWidth));
  const spansDays = interval.to - interval.from > DAY_MS;
  const hasHours = spansDays && interval.to - interval.from <= MOST_HOURS_MS;
  const hasEventsByHour = metric === 'events';
  const wanted = { order, eventsOf: held, hasHours, hasEventsByHour, buckets };
  const asked = usePanelQueries(view, interval, info, wanted);
  const { series, points, before, summary, lane, top, events, quality } = asked;
  const { frequencies, days, hours, eventHours, limits } = asked;
  const report = useReport();

  const offset = info.calibration_offset_db;
  const scaleIn = (answer: { readonly scale: Outputs['stats']['summary']['scale'] } | undefined) =>
    scaleOf(answer?.scale, offset);
  const scale = scaleIn(summary.answer.data);
  const pages = events.answer.data?.pages;
  // the newest points are in the next step of an interval that moves on
  const isAwaited = isLive && followsNow(view) && Date.parse(info.newest ?? '') >= interval.to;
  const zone = timeZone();
  const { by } = before;
  const drawn = useLiveTail(series.answer.data, interval, view, isLive);
  // while the chart moves on between answers its points would stay behind
  const isByPoint = drawn.interval === interval && !points.answer.isPlaceholderData;
  const chart = useMemo<ChartData | undefined>(() => {
    if (!drawn.series) return undefined;
    const scale = scaleOf(drawn.series.scale, offset);
    return {
      interval: drawn.interval,
      series: drawn.series,
      points: isByPoint && points.answer.data?.next_cursor === null ? points.answer.data.points : undefined,
      before: view.compare !== null && before.answer.data ? { series: before.answer.data, by } : undefined,
      events: lane.answer.data,
      chosen,
      limits: scale.isAbsolute ? limitSteps(info.limits, drawn.interval, zone, scale.offset) : [],
      scale,
      threshold: view.aboveBackground === null ? view.threshold : null,
      timeZone: zone,
    };
  }, [
    drawn,
    points.answer.data,
    isByPoint,
    before.answer.data,
    lane.answer.data,
    by,
    chosen,
    info.limits,
    zone,
    offset,
    view,
  ]);
  const frequencyMap = useMemo(
    () => frequencies.answer.data && { interval, frequencies: frequencies.answer.data },
    [frequencies.answer.data, interval],
  );

  const figures = summary.answer.isPlaceholderData
    ? ''
    : levelFigures(summary.answer.data, scale)
        .map(([name, level]) => `${name} ${level}`)
        .join(', ');

  const shown = useRef(view);
  useEffect(() => {
    if (shown.current !== view && document.activeElement === document.body)
      level.current?.focus({ preventScroll: true }); // what was pressed is gone
    shown.current = view;
  }, [view]);

  const choose = (event: NoiseEvent) => {
    setChosen(event);
    showInterval(aroundEvent(event));
    level.current?.scrollIntoView({ block: 'nearest' });
  };
  const showMore = () => {
    hold(held ?? interval);
    void events.answer.fetchNextPage();
  };

  return (
    <>
      <LiveMeter
        isOn={view.isLive}
        isSeen={isSeen}
        scale={scaleOf(info.periods[0], offset)}
        newest={info.newest}
        limits={info.limits}
        place={info.place_name}
      />
      <section className={`panel answer${info.limits.length > 0 ? ' limited' : ''}`} aria-label="In words">
        {view.preset !== 'last-night' && <LastNight view={view} info={info} />}
        <ThisInterval
          view={view}
          interval={interval}
          summary={summary.answer.data}
          top={top.answer}
          quality={quality.answer.data}
          limits={limits.answer.data}
          scale={scale}
        />
      </section>
      <IntervalControls view={view} interval={interval} />
      {summary.answer.data?.point_count === 0 && info.newest && !isAwaited && (
        <NoPoints of={summary.answer.data} newest={info.newest} />
      )}
      {summary.answer.data && summary.answer.data.scale.recording_period_count > 1 && (
        <SeveralPeriods scale={summary.answer.data.scale} />
      )}
      <div ref={level} id="level" tabIndex={-1}>
        <Panel
          title="Level"
          query={series}
          tools={
            <>
              <CompareChoice compare={view.compare} />
              <label className="switch">
                <input
                  type="checkbox"
                  checked={isTable}
                  onChange={({ target }) => setTable(target.checked)}
                />
                As a table
              </label>
            </>
          }
        >
          {chart ? (
            <>
              <LevelChart data={chart} onCanvas={setCanvas} />
              <GapStrip quality={quality.answer.data} interval={chart.interval} />
              <Loudest top={top.answer.data} scale={scale} onChoose={choose} />
              {isTable && <LevelTable series={chart.series} scale={chart.scale} />}
            </>
          ) : (
            <div className="chart-space" />
          )}
          <Downloads
            interval={interval}
            pointCount={summary.answer.isPlaceholderData ? undefined : summary.answer.data?.point_count}
            scale={chart?.scale ?? scale}
            canvas={canvas}
            text={
              series.answer.isPlaceholderData
                ? undefined
                : chart && {
                    place: info.place_name ?? 'Audio Metrics',
                    lines: [
                      `${intervalText(chart.interval.from, chart.interval.to)}, ${zonesText(chart.interval.from, chart.interval.to)}`,
                      chartText(chart),
                      figures,
                    ],
                    key: keyOf(chart),
                  }
            }
            report={report}
          />
        </Panel>
      </div>
      {hasHours && (
        <Panel
          title="Day by hour"
          query={hasEventsByHour ? eventHours : hours}
          tools={
            <Choice names={HOUR_METRICS} chosen={metric} onChoose={setMetric} legend="What of each hour" />
          }
        >
          {hours.answer.data ? (
            <DayByHour
              metric={metric}
              series={hours.answer.data}
              events={eventHours.answer.data}
              scale={scaleIn(hours.answer.data)}
            />
          ) : (
            <div style={{ height: spaceOf(Math.ceil((interval.to - interval.from) / DAY_MS) + 1) }} />
          )}
        </Panel>
      )}
      <Panel title="Figures" query={summary}>
        <SummaryFigures summary={summary.answer.data} scale={scale} />
        {scale.unit === 'dBFS' && <HowToCalibrate />}
      </Panel>
      {info.limits.length > 0 && (
        <Panel title="Limits" meaning="limits" query={limits}>
          {limits.answer.data ? (
            <Limits answer={limits.answer.data} scale={scaleIn(limits.answer.data)} />
          ) : (
            <div style={{ height: spaceOf(info.limits.length + 2) }} />
          )}
        </Panel>
      )}
      <div className="columns">
        <Panel
          title="Noise events"
          meaning="event"
          query={events}
          tools={
            <>
              <NoiseEventRule view={view} scale={scale} />
              <Choice names={EVENT_ORDERS} chosen={order} onChoose={setOrder} legend="Order of the events" />
            </>
          }
        >
          {events.answer.data && (
            <NoiseEvents
              events={pages?.flatMap((page) => page.events) ?? []}
              count={held ? undefined : lane.answer.data?.event_count}
              scale={scaleIn(pages?.[0])}
              onChoose={choose}
              onMore={events.answer.hasNextPage ? showMore : undefined}
              heldAt={held && movesOn(view) ? held.to : undefined}
              onLetGo={letGo}
            />
          )}
        </Panel>
        <Panel title="Quality" meaning="measured" query={quality}>
          {quality.answer.data && <QualityText quality={quality.answer.data} />}
        </Panel>
        {spansDays && (
          <Panel title="Days" meaning="lden" query={days}>
            {days.answer.data && <Days days={days.answer.data} scale={scaleIn(days.answer.data)} />}
          </Panel>
        )}
      </div>
      <Panel title="Dominant frequencies" query={frequencies}>
        {frequencyMap && <HeatMap data={frequencyMap} />}
        {isTable && frequencyMap && <FrequencyTable frequencies={frequencyMap.frequencies} />}
      </Panel>
      {report.isPrinting && (
        <Report
          view={view}
          interval={interval}
          info={info}
          asked={asked}
          chart={chart}
          metric={hasHours ? metric : undefined}
        />
      )}
    </>
  );
}

/** About the height of a table of so many rows, before it is there: what is below then stays where it is. */
const spaceOf = (rows: number) => `min(480px, ${1.9 * (rows + 1)}em)`;
