// The data on screen and its queries. Panels with the same query share the answer.
import { useMemo, useSyncExternalStore } from 'react';
import { useApiQuery } from './api-queries.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type TimeSpan } from './calendar-intervals.ts';
import type { useReport } from './report.ts';
import { asInput, asLevels, followsNow, stepOf } from './shown-interval.ts';
import { type Info, timeZone } from './site.ts';
import type { View } from './view-in-address.ts';

export interface Shown {
  readonly view: View;
  readonly interval: TimeSpan;
  readonly info: Info;
  /** Whether the page is being printed. */
  readonly isOnPaper: boolean;
  /** Whether it will be printed once every answer is there. */
  readonly isReportRequested: boolean;
}

export function useShown(
  view: View,
  interval: TimeSpan,
  info: Info,
  { isPrinting: isOnPaper, isWaiting: isReportRequested }: ReturnType<typeof useReport>,
): Shown {
  return useMemo(
    () => ({ view, interval, info, isOnPaper, isReportRequested }),
    [view, interval, info, isOnPaper, isReportRequested],
  );
}

/** The data to show. While an answer for the interval is missing, the screen keeps the previous one, but paper does not. */
export const dataOn = <Data>(
  { isOnPaper }: Shown,
  { data, isPlaceholderData }: { readonly data: Data | undefined; readonly isPlaceholderData: boolean },
) => (isOnPaper && isPlaceholderData ? undefined : data);

/** Longer intervals have L10 and L90 only in buckets longer than {@link ROLLED_UP_MS}, which use rollups. */
const COUNTED_MS = HOUR_MS;
const ROLLED_UP_MS = 900_000;
/** Shorter intervals are drawn point by point. */
const BY_POINT_MS = 60_000;

const lengthOf = ({ from, to }: TimeSpan) => to - from;

export const spansDays = ({ interval }: Shown) => lengthOf(interval) > DAY_MS;

const subscribeToSize = (listener: () => void) => {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
};

/** The maximum number of buckets in a chart, by the width of the page: more would hide the Leq line. */
const chartPoints = () => (innerWidth < 600 ? 200 : innerWidth < 1100 ? 400 : innerWidth < 2000 ? 800 : 1200);

function useMaxPoints({ interval }: Shown): number {
  const buckets = useSyncExternalStore(subscribeToSize, chartPoints);
  return Math.max(buckets, leastBuckets(interval));
}

/** The fewest buckets: each is at most a day long. */
const leastBuckets = (interval: TimeSpan) => Math.ceil(lengthOf(interval) / DAY_MS) + 1;

export function useSeries(shown: Shown) {
  const max_points = useMaxPoints(shown);
  const length = lengthOf(shown.interval);
  const isCounted = length <= COUNTED_MS || length / max_points > ROLLED_UP_MS;
  const exceeded_levels = isCounted ? 'include' : 'omit';
  const input = { ...asLevels(shown.interval), max_points, exceeded_levels } as const;
  return useApiQuery('stats.series', input, ({ stats }) => stats.series.query);
}

/** All points of a short interval. */
export function usePoints({ interval }: Shown) {
  const isShort = lengthOf(interval) <= BY_POINT_MS;
  return useApiQuery('audio.range', asLevels(interval), ({ audio }) => audio.range.query, isShort);
}

export const useSummary = ({ interval }: Pick<Shown, 'interval'>) =>
  useApiQuery('stats.summary', asLevels(interval), ({ stats }) => stats.summary.query);

export const useQuality = ({ interval }: Pick<Shown, 'interval'>) =>
  useApiQuery('stats.quality', asInput(interval), ({ stats }) => stats.quality.query);

/** Events by bucket, for the lane of events. */
export function useLane(shown: Shown) {
  const input = { ...asLevels(shown.interval), max_points: useMaxPoints(shown) };
  return useApiQuery('events.series', input, ({ events }) => events.series.query);
}

export function useFrequencies(shown: Shown) {
  const { interval } = shown;
  const max_points = Math.max(useMaxPoints(shown) / 2, leastBuckets(interval));
  const input = { ...asInput(interval), max_points };
  return useApiQuery('stats.frequencies', input, ({ stats }) => stats.frequencies.query, !shown.isOnPaper);
}

/** Instead of a query that is not sent. */
const NONE = { data: undefined, isPending: false, isPlaceholderData: false };

export function useDays(shown: Shown) {
  const input = { ...asLevels(shown.interval), time_zone: timeZone() };
  const isSent = spansDays(shown);
  const query = useApiQuery('stats.days', input, ({ stats }) => stats.days.query, isSent && !shown.isOnPaper);
  return isSent ? query : { ...query, ...NONE };
}

/** The causes of longer intervals are not asked for. */
const MOST_WHY_MS = 31 * DAY_MS;

export function useWhy({ interval }: Pick<Shown, 'interval'>) {
  const isTooLong = lengthOf(interval) > MOST_WHY_MS;
  const query = useApiQuery('stats.why', asLevels(interval), ({ stats }) => stats.why.query, !isTooLong);
  return { query: isTooLong ? { ...query, ...NONE } : query, isTooLong };
}

/** What a part has left is known if the interval includes now, which is up to a step after the interval on screen. */
function withNow(interval: TimeSpan): TimeSpan {
  const step = Math.max(stepOf(interval), MINUTE_MS);
  return { ...interval, to: (Math.floor(interval.to / step) + 1) * step };
}

/** Limits follow the place's time zone, whatever zone the page shows. */
export const useLimits = ({ view, interval, info }: Shown) =>
  useApiQuery(
    'stats.limits',
    { ...asLevels(followsNow(view) ? withNow(interval) : interval), events: 'true' as const },
    ({ stats }) => stats.limits.query,
    info.limits.length > 0,
  );
