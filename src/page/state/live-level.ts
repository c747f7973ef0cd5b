// The live points and the state of the station: the level now, and whether points arrive.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Outputs } from '../../client/index.ts';
import { parseDuration } from '../../contract/instant.ts';
import { faultOf } from './answer-faults.ts';
import { useApiClient } from './api-client.tsx';
import { useInfo } from './api-queries.ts';
import type { TimeSpan } from './calendar-intervals.ts';
import { continueSeries } from './live-tail.ts';
import { followsNow, intervalOf, wholeSecond } from './shown-interval.ts';
import { offsetIn, timeZone } from './site.ts';
import type { View } from './view-in-address.ts';

type Series = Outputs['stats']['series'];

const subscribeToSight = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

export const useIsSeen = () => useSyncExternalStore(subscribeToSight, () => !document.hidden);

const toNothing = () => () => {};

/** @returns the newest point, null before the first, and when the last points arrived, by performance.now() */
export function useLiveLevel(isEnabled: boolean) {
  const live = useApiClient().live[offsetIn({ to: Date.now() }) === null ? 'stored' : 'absolute'];
  const { tail, heardAt } = useSyncExternalStore(isEnabled ? live.subscribe : toNothing, live.current);
  return { point: tail.points.at(-1) ?? null, heardAt };
}

/** The longest buckets that live points continue, in milliseconds. Charts of them move every second. */
const MOST_CONTINUED_MS = 10_000;

/**
 * Continues a series with the live points between two answers, up to this second. Leaves it unchanged if its buckets
 * are long, or if the view does not follow now.
 *
 * @param interval the interval of the request for the series
 */
export function useLiveTail(
  series: Series | undefined,
  interval: TimeSpan,
  { from, to, preset }: View,
  isLive: boolean,
): { readonly series: Series | undefined; readonly interval: TimeSpan } {
  const live = useApiClient().live[series?.scale.levels ?? 'stored'];
  const length = series ? (parseDuration(series.bucket) ?? Number.NaN) : Number.NaN;
  const isContinued = isLive && followsNow({ from, to, preset }) && length <= MOST_CONTINUED_MS;
  const now = wholeSecond(useClock(1000, isContinued));
  useEffect(() => (isContinued ? live.subscribe(() => {}) : undefined), [isContinued, live]);
  return useMemo(() => {
    if (!isContinued || !series || now < interval.to) return { series, interval };
    const drawn = intervalOf({ from, to, preset }, now, timeZone());
    const { buckets, ...rest } = continueSeries(series, length / 1000, live.current().tail, now);
    const begin = drawn.from - length;
    return {
      series: { ...rest, buckets: buckets.filter(({ time }) => Date.parse(time) > begin) },
      interval: drawn,
    };
  }, [series, interval, from, to, preset, isContinued, length, now, live]);
}

/** The current time, updated at this period. Stops while not enabled. */
export function useClock(everyMs: number, isEnabled = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isEnabled) return;
    const update = () => setNow(Date.now());
    update();
    const timer = setInterval(update, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isEnabled]);
  return now;
}

/** After this long without points, in milliseconds, the page queries the state of the service. */
const SILENT_MS = 1200;
const QUERY_EVERY_MS = 1000;

export interface ShownState {
  readonly state: Outputs['service']['info']['state'] | 'unreachable' | 'database' | 'unknown';
  readonly newest: string | null;
}

/** @param isLive whether the page listens to new points */
export function useStationState(isLive: boolean): ShownState {
  const isSeen = useIsSeen();
  const { point, heardAt } = useLiveLevel(isLive && isSeen);
  useClock(500);
  const isSilent = performance.now() - heardAt > SILENT_MS;
  const { data: info, failureReason } = useInfo(isSilent && isSeen ? QUERY_EVERY_MS : undefined);
  const stored = info?.ahead_until ? null : info?.newest;
  const newest = [point?.time ?? [], stored ?? []].flat().toSorted().at(-1) ?? null; // canonical instants sort as texts
  if (!isSilent) return { state: 'recording', newest };
  const fault = failureReason && faultOf(failureReason);
  if (fault === 'database' || fault === 'unreachable') return { state: fault, newest };
  return { state: fault === 'stopping' ? 'unreachable' : (info?.state ?? 'unknown'), newest };
}
