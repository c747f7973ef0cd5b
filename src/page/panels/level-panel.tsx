// The panel of the level chart: the range above it, the lane of causes below it, and its points as a file.
import { useMemo } from 'react';
import type { Outputs } from '../../client/index.ts';
import { isNight } from '../cards/stretches.ts';
import {
  type Blank,
  bucketLength,
  type ChartData,
  lineSteps,
  type PartLevel,
} from '../charts/level-chart-data.ts';
import { decibelText, leqText, limitText, timeText } from '../locale-format.ts';
import type { TimeSpan } from '../state/calendar-intervals.ts';
import { useLiveTail } from '../state/live-level.ts';
import {
  dataOn,
  type Shown,
  useLimits,
  usePoints,
  useQuality,
  useSeries,
  useSummary,
} from '../state/shown.ts';
import { followsNow, timesIn } from '../state/shown-interval.ts';
import { limitSteps, scaleIn, serviceZone, siteNight, spansOfDays, timeZone } from '../state/site.ts';
import { texts } from '../texts/texts.ts';
import type { AgainstLimits } from '../verdict-text.ts';
import { CsvLink } from './csv-link.tsx';
import { LevelChart } from './level.tsx';
import { NoPoints, Overloaded, PointsEnd, SeveralPeriods } from './notices.tsx';
import { Panel } from './panel-frame.tsx';
import { RangeControl } from './range-control.tsx';
import { WhyLane } from './why-lane.tsx';

const { level: words } = texts;

interface Props {
  readonly shown: Shown;
  readonly isLive: boolean;
  readonly isRecording: boolean;
}

export function LevelPanel({ shown, isLive, isRecording }: Props) {
  const chart = useChartData(shown, isLive);
  const series = useSeries(shown);
  const summary = useSummary(shown);
  const overload_percent = summary.data?.overload_percent ?? 0;
  const known = summary.isPlaceholderData ? undefined : summary.data;
  return (
    <Panel
      title={words.title}
      query={series}
      tools={<RangeControl view={shown.view} interval={shown.interval} isRecording={isRecording} />}
    >
      {chart ? (
        <>
          <OfInterval shown={shown} isLive={isLive} />
          <LevelChart data={chart} file={<CsvLink interval={shown.interval} summary={known} />}>
            <WhyLane shown={shown} />
          </LevelChart>
          <PointsEnd of={summary.data} />
          {overload_percent > 0 && <Overloaded percent={overload_percent} />}
        </>
      ) : (
        <div className="chart-space" />
      )}
    </Panel>
  );
}

/** Remarks about the whole interval, laid over the chart, so that nothing moves when they appear. */
function OfInterval({ shown, isLive }: Pick<Props, 'shown' | 'isLive'>) {
  const { view, interval, info } = shown;
  const { data } = useSummary(shown);
  const quality = useQuality(shown).data;
  const newest = quality && (quality.newest ?? info.newest);
  // the next step of a moving interval will show the newest points
  const isAwaited = isLive && followsNow(view) && Date.parse(newest ?? '') >= interval.to;
  if (!data) return null;
  if (data.point_count === 0 && newest && !isAwaited) return <NoPoints of={data} newest={newest} />;
  return data.scale.recording_period_count > 1 && <SeveralPeriods scale={data.scale} />;
}

function useChartData(shown: Shown, isLive: boolean): ChartData | undefined {
  const { view, interval, info, isOnPaper } = shown;
  const series = useSeries(shown);
  const points = usePoints(shown);
  const quality = dataOn(shown, useQuality(shown));
  const answer = dataOn(shown, useLimits(shown));
  const drawn = useLiveTail(series.data, interval, view, isLive);
  // while the chart moves on between answers, its points would lag behind
  const isByPoint = drawn.interval === interval && !points.isPlaceholderData;
  const zone = timeZone();
  return useMemo(() => {
    if (!drawn.series) return undefined;
    const scale = scaleIn(drawn.series.scale);
    const isCompared = scale.isAbsolute && scale.hasEnergy;
    const others = answer?.limits.filter(({ reason }) => reason === 'other_weighting') ?? [];
    const limits = info.limits.filter(({ start }) => !others.some((other) => other.start === start));
    const { next_cursor, history_until, points: all } = points.data ?? {};
    const drawnPoints = isByPoint && next_cursor === null && !history_until ? all : undefined;
    return {
      interval: drawn.interval,
      steps: lineSteps(drawn.series, drawnPoints, scale, drawn.interval),
      bucketMs: drawnPoints ? null : bucketLength(drawn.series.bucket),
      limits: isCompared ? limitSteps(limits, drawn.interval, serviceZone()) : [],
      nights: spansOfDays(siteNight(), drawn.interval, serviceZone()),
      parts:
        answer && isCompared && !drawn.series.scale.energy_unavailable ? partLevels(answer, interval) : [],
      blanks: quality ? blanksIn(quality, interval, info.oldest) : [],
      scale,
      timeZone: zone,
      isOnPaper,
    };
  }, [drawn, points.data, isByPoint, quality, answer, info, interval, zone, isOnPaper]);
}

/** In longer intervals, only parts over their limit have a number. */
const MOST_NUMBERED_MS = 3 * 86_400_000;

/** The levels of the parts of the day in an interval, up to now. */
function partLevels({ parts, scale, to }: AgainstLimits, interval: TimeSpan): PartLevel[] {
  return parts.flatMap((part) => {
    const isCut = Date.parse(part.from) < interval.from || (part.is_cut && !part.is_running);
    if (part.leq_db === null || isCut) return [];
    const isOver = part.state === 'over';
    const name = isNight(part) ? words.night : words.day;
    const label =
      interval.to - interval.from <= MOST_NUMBERED_MS
        ? `${name} ${leqText(part, scaleIn(scale))}, ${texts.key.limit} ${limitText(part.limit_db)}`
        : isOver && part.assessed_db !== null
          ? `+${decibelText(part.assessed_db - part.limit_db)}`
          : '';
    const span = timesIn({ from: part.from, to: part.to < to ? part.to : to });
    return [{ ...span, db: part.leq_db, isOver, label }];
  });
}

/** Time without points, time left out, and the time before the first point ever. */
function blanksIn(
  { gaps, exclusions }: Outputs['stats']['quality'],
  { from, to }: TimeSpan,
  oldest: string | null,
): Blank[] {
  const first = oldest === null ? to : Date.parse(oldest);
  return [
    ...gaps.map(timesIn).map((gap) => ({ from: Math.max(gap.from, first), to: gap.to, label: words.noData })),
    ...exclusions.map((excluded) => ({ ...timesIn(excluded), label: words.leftOut(excluded.reason) })),
    { from, to: Math.min(first, to), label: oldest === null ? '' : words.notYet(timeText(first, 'minute')) },
  ].filter((blank) => blank.from < blank.to);
}
