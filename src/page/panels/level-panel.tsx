// The panel of the level chart: the lane of events above it, gaps and tones below it, and its points as a file.
import { type RefObject, useCallback, useMemo, useState } from 'react';
import { createHeatMap, type Frequencies, type HeatMapData } from '../charts/frequency-heat-map.ts';
import type { ChartData, ListedEvent } from '../charts/level-chart-data.ts';
import { useTimeChart } from '../charts/use-time-chart.ts';
import { bandText } from '../locale-format.ts';
import { useLiveTail } from '../state/live-level.ts';
import {
  dataOn,
  type Shown,
  useFrequencies,
  useLane,
  useLimits,
  usePoints,
  useQuality,
  useSeries,
  useSummary,
} from '../state/shown.ts';
import { followsNow } from '../state/shown-interval.ts';
import { type Info, limitSteps, type Scale, scaleIn, serviceZone, timeZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import { CsvLink } from './csv-link.tsx';
import { LevelChart } from './level.tsx';
import { NoPoints, Overloaded, SeveralPeriods } from './notices.tsx';
import { Panel } from './panel-frame.tsx';
import { GapStrip } from './quality.tsx';

interface Props {
  readonly shown: Shown;
  readonly isLive: boolean;
  readonly chosen: ListedEvent | undefined;
  readonly focus: RefObject<HTMLDivElement | null>;
}

export function LevelPanel({ shown, isLive, chosen, focus }: Props) {
  const { interval, info, isOnPaper } = shown;
  const chart = useChartData(shown, isLive, chosen);
  const series = useSeries(shown);
  const summary = useSummary(shown);
  const quality = dataOn(shown, useQuality(shown));
  const overload_percent = summary.data?.overload_percent ?? 0;
  const frequencies = dataOn(shown, useFrequencies(shown));
  const tones = useMemo(
    () => frequencies && { interval, frequencies, isOnPaper },
    [frequencies, interval, isOnPaper],
  );
  const pointCount = summary.isPlaceholderData ? undefined : summary.data?.point_count;
  return (
    <div ref={focus} id="level" tabIndex={-1}>
      <Panel
        title={texts.level.title}
        query={series}
        tools={<CsvLink interval={interval} pointCount={pointCount} />}
      >
        {chart ? (
          <>
            <OfInterval shown={shown} isLive={isLive} />
            <LevelChart data={chart}>
              <GapStrip quality={quality} interval={chart.interval} oldest={info.oldest} />
              {tones ? <ToneLane data={tones} /> : <div className="tones" />}
            </LevelChart>
            {overload_percent > 0 && <Overloaded percent={overload_percent} />}
          </>
        ) : (
          <div className="chart-space" />
        )}
      </Panel>
    </div>
  );
}

/** Remarks about the whole interval, laid over the chart, so that nothing moves when they appear. */
function OfInterval({ shown: { view, interval, info }, isLive }: Pick<Props, 'shown' | 'isLive'>) {
  const { data } = useSummary({ interval });
  // the next step of a moving interval will show the newest points
  const isAwaited = isLive && followsNow(view) && Date.parse(info.newest ?? '') >= interval.to;
  if (!data) return null;
  if (data.point_count === 0 && info.newest && !isAwaited) return <NoPoints of={data} newest={info.newest} />;
  return data.scale.recording_period_count > 1 && <SeveralPeriods scale={data.scale} />;
}

/** The data of the chart; undefined until levels are known. */
function useChartData(shown: Shown, isLive: boolean, chosen?: ListedEvent): ChartData | undefined {
  const { view, interval, info, isOnPaper } = shown;
  const series = useSeries(shown);
  const points = usePoints(shown);
  const events = dataOn(shown, useLane(shown));
  const drawn = useLiveTail(series.data, interval, view, isLive);
  const others = useLimits(shown).data?.limits.filter(({ reason }) => reason === 'other_weighting');
  const notCompared = others?.map(({ start }) => start).join() ?? '';
  // while the chart moves on between answers, its points would lag behind
  const isByPoint = drawn.interval === interval && !points.isPlaceholderData;
  const zone = timeZone();
  return useMemo(() => {
    if (!drawn.series) return undefined;
    const scale = scaleIn(drawn.series.scale);
    return {
      interval: drawn.interval,
      series: drawn.series,
      points: isByPoint && points.data?.next_cursor === null ? points.data.points : undefined,
      events,
      chosen,
      limits: limitsOf(info, drawn.interval, scale, notCompared),
      scale,
      timeZone: zone,
      isOnPaper,
    };
  }, [drawn, points.data, isByPoint, events, chosen, info, zone, isOnPaper, notCompared]);
}

/**
 * Limits follow the place's time zone, whatever zone the page shows.
 *
 * @param notCompared the starts of limits that have another weighting than the levels
 */
function limitsOf({ limits }: Info, interval: ChartData['interval'], scale: Scale, notCompared: string) {
  if (!scale.isAbsolute || !scale.hasEnergy) return [];
  const compared = limits.filter(({ start }) => !notCompared.includes(start));
  return limitSteps(compared, interval, serviceZone());
}

/** The lane of dominant frequencies below the level chart, with the reading at the cursor. */
function ToneLane({ data }: { data: HeatMapData }) {
  const [reading, setReading] = useState('');
  const create = useCallback(
    (parent: HTMLElement, first: HeatMapData) => createHeatMap(parent, first, setReading),
    [],
  );
  const { area } = useTimeChart(data, create);
  return (
    <>
      <div
        ref={area}
        className="tones"
        role="img"
        aria-label={summaryOf(data.frequencies)}
        title={texts.tones.title}
      />
      <p className="tone-reading soft">{reading}</p>
    </>
  );
}

function summaryOf({ bands, buckets }: Frequencies): string {
  const totals = bands.map((_, band) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0));
  const most = Math.max(...totals);
  if (!(most > 0)) return texts.tones.none;
  return texts.tones.most(bandText(bands[totals.indexOf(most)]?.nominal_hz));
}
