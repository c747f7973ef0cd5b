// The live level from the stream while the tab is visible: newest point, held peak, stale or not.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { type AudioMetricsClient, follow, type Point } from '../../client/index.ts';

export interface LiveLevel {
  /** Null before the first. */
  readonly point: Point | null;
  /** The highest level of the last two seconds. */
  readonly peak: number | null;
  readonly isStale: boolean;
  readonly isConnected: boolean;
}

/** How long a peak is held, in milliseconds. */
const HOLD_MS = 2000;

const subscribeToSight = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

/** Whether the tab is visible. */
export const useIsSeen = () => useSyncExternalStore(subscribeToSight, () => !document.hidden);

const NONE_YET: LiveLevel = { point: null, peak: null, isStale: false, isConnected: false };

/** Follows the stream while enabled. */
export function useLiveLevel(client: AudioMetricsClient, isEnabled: boolean): LiveLevel {
  const [now, setNow] = useState(NONE_YET);
  useEffect(() => {
    if (!isEnabled) return;
    let now = NONE_YET;
    let peakAt = 0;
    const show = (change: Partial<LiveLevel>) => {
      now = { ...now, ...change };
      setNow(now);
    };
    const following = follow(
      client,
      { from: 'now-5s' },
      {
        onPoints(points) {
          const at = performance.now();
          const levels = points.flatMap(({ rms_db }) => rms_db ?? []);
          const loudest = levels.length > 0 ? Math.max(...levels) : null;
          const isHeld = now.peak !== null && now.peak > (loudest ?? -Infinity) && at - peakAt < HOLD_MS;
          if (!isHeld) peakAt = at;
          show({ point: points.at(-1) ?? null, peak: isHeld ? now.peak : loudest });
        },
        onConnection: (isConnected) => show({ isConnected }),
        onStale: (isStale) => show({ isStale }),
      },
    );
    return () => following.unsubscribe();
  }, [client, isEnabled]);
  return now;
}

/** The time, updated every so many milliseconds. */
export function useClock(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
