// The state of the station in one word, within five seconds of a change.
import type { Outputs } from '../../client/index.ts';
import { faultOf } from './answer-faults.ts';
import { useInfo } from './api-queries.ts';
import { isAhead, useClock, useIsSeen, useLiveLevel } from './live-level.ts';

type InfoState = Outputs['service']['info']['state'];
export type StateWord = InfoState | 'unreachable' | 'database' | 'unknown';

/** After this long without points, in milliseconds, the page queries the state of the service. */
const SILENT_MS = 1200;
const QUERY_EVERY_MS = 1000;

export interface ShownState {
  readonly state: StateWord;
  /** The time of the newest known point. */
  readonly newest: string | null;
}

/** @param isLive whether the page listens to new points */
export function useStationState(isLive: boolean): ShownState {
  const isSeen = useIsSeen();
  const { point, heardAt } = useLiveLevel(isLive && isSeen);
  useClock(500);
  const isSilent = performance.now() - heardAt > SILENT_MS;
  const { data: info, failureReason } = useInfo(isSilent && isSeen ? QUERY_EVERY_MS : undefined);
  const stored = info?.newest == null || isAhead(info.newest) ? null : info.newest;
  const newest = latest(point?.time, stored);
  if (!isSilent) return { state: 'recording', newest };
  const fault = failureReason && faultOf(failureReason);
  if (fault === 'database' || fault === 'unreachable') return { state: fault, newest };
  return { state: fault === 'stopping' ? 'unreachable' : (info?.state ?? 'unknown'), newest };
}

/** Canonical instants compare as texts. */
const latest = (a: string | null | undefined, b: string | null | undefined) =>
  a != null && (b == null || a > b) ? a : (b ?? null);
