// The data on screen and its queries. Panels with the same query share the answer.
import { useApiQuery } from './api-queries.ts';
import { DAY_MS, MINUTE_MS, type TimeSpan } from './calendar-intervals.ts';
import { asInput, asLevels, followsNow, stepOf, timesIn } from './shown-interval.ts';
import { type Info, timeZone } from './site.ts';
import type { View } from './view-in-address.ts';

export interface Shown {
  readonly view: View;
  readonly interval: TimeSpan;
  readonly info: Info;
  readonly isOnPaper: boolean;
  /** Whether it will be printed once every answer is there. */
  readonly isReportRequested: boolean;
}

/** The data to show. While an answer for the interval is missing, the screen keeps the previous one, but paper does not. */
export const dataOn = <Data>(
  { isOnPaper }: Shown,
  { data, isPlaceholderData }: { readonly data: Data | undefined; readonly isPlaceholderData: boolean },
) => (isOnPaper && isPlaceholderData ? undefined : data);

/** Shorter intervals are drawn point by point. */
const BY_POINT_MS = 60_000;

const lengthOf = ({ from, to }: TimeSpan) => to - from;

export const spansDays = ({ interval }: Shown) => lengthOf(interval) > DAY_MS;

/** How many buckets a chart has: 5 min each for a day, 30 min for a week, an hour for a month. */
const chartPoints = (interval: TimeSpan) =>
  Math.max(lengthOf(interval) > 14 * DAY_MS ? 750 : 340, leastBuckets(interval));

/** The fewest buckets: each is at most a day long. */
const leastBuckets = (interval: TimeSpan) => Math.ceil(lengthOf(interval) / DAY_MS) + 1;

export function useSeries({ interval }: Shown) {
  const input = {
    ...asLevels(interval),
    max_points: chartPoints(interval),
    exceeded_levels: 'include' as const,
  };
  return useApiQuery('stats.series', input, ({ stats }) => stats.series.query);
}

export function usePoints({ interval }: Shown) {
  const isShort = lengthOf(interval) <= BY_POINT_MS;
  return useApiQuery('audio.range', asLevels(interval), ({ audio }) => audio.range.query, isShort);
}

export const useSummary = ({ interval }: Pick<Shown, 'interval'>) =>
  useApiQuery('stats.summary', asLevels(interval), ({ stats }) => stats.summary.query);

export const useQuality = ({ interval }: Pick<Shown, 'interval'>) =>
  useApiQuery('stats.quality', asInput(interval), ({ stats }) => stats.quality.query);

export function useFrequencies({ interval, isOnPaper }: Shown) {
  const max_points = Math.max(200, leastBuckets(interval));
  const input = { ...asInput(interval), max_points };
  return useApiQuery('stats.frequencies', input, ({ stats }) => stats.frequencies.query, !isOnPaper);
}

/** Instead of a query that is not sent. */
const NONE = { data: undefined, isPending: false, isPlaceholderData: false };

export function useDays(shown: Shown) {
  const input = { ...asLevels(shown.interval), time_zone: timeZone() };
  const isSent = spansDays(shown);
  const query = useApiQuery('stats.days', input, ({ stats }) => stats.days.query, isSent && !shown.isOnPaper);
  return isSent ? query : { ...query, ...NONE };
}

/** For stations without limits: the parts of the day in Directive 2002/49/EC. The zeros are not compared. */
export const NO_LIMITS = '07-23=0,23-07=0';

/** The causes of longer intervals are not asked for. */
const MOST_WHY_MS = 31 * DAY_MS;

export function useWhy({ interval }: Pick<Shown, 'interval'>, isNeeded = true) {
  const isTooLong = lengthOf(interval) > MOST_WHY_MS;
  const isEnabled = isNeeded && !isTooLong;
  const input = asLevels(interval);
  const query = useApiQuery('stats.why', input, ({ stats }) => stats.why.query, isEnabled);
  return { query: isTooLong ? { ...query, ...NONE } : query, isTooLong };
}

/** How far back the page looks for causes like those of a part, and how often while the part runs, in milliseconds. */
const [BACK_MS, BACK_STEP_MS] = [7 * DAY_MS, 600_000];

/** The name of the query of earlier causes. It is an extra: the page does not report that it failed. */
export const EARLIER = 'earlier';

/** The causes of the week that ends with a part; none on paper. */
export function useWhyBefore({ interval, isOnPaper }: Shown, part: { from: string; to: string } | undefined) {
  const { from, to } = part ? timesIn(part) : interval;
  const end = Math.min(to, Math.floor(interval.to / BACK_STEP_MS) * BACK_STEP_MS);
  const input = asLevels({ from: from - BACK_MS, to: end });
  return useApiQuery(
    EARLIER,
    input,
    ({ stats }) => stats.why.query,
    part !== undefined && !isOnPaper && end > from,
  );
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
