// The parts of the day with a verdict: the last one that has ended, and the one that runs.
import type { Outputs } from '../../client/index.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { useApiQuery } from '../state/api-queries.ts';
import { lastNight, MINUTE_MS } from '../state/calendar-intervals.ts';
import { useClock } from '../state/live-level.ts';
import { NO_LIMITS } from '../state/shown.ts';
import { asLevels } from '../state/shown-interval.ts';
import { type Info, serviceZone, siteNight } from '../state/site.ts';
import { isSoFar } from '../verdict-text.ts';

type Answer = Outputs['stats']['limits'];
export type Stretch = Answer['parts'][number];

export function useStretches({ limits }: Pick<Info, 'limits'>) {
  const now = Math.floor(useClock(10_000) / MINUTE_MS) * MINUTE_MS;
  const hasLimits = limits.length > 0;
  const input = {
    // including now: only then the service tells what a running part has left
    ...asLevels({ from: lastNight(now, serviceZone(), siteNight()).from, to: now + MINUTE_MS }),
    ...(!hasLimits && { limits: NO_LIMITS }),
  };
  const answer = useApiQuery('stats.limits', input, ({ stats }) => stats.limits.query);
  const { data } = answer;
  // without limits, a level has no state
  const parts = (data?.parts ?? []).map(
    (part): Stretch => (hasLimits ? part : { ...part, state: null, reason: null }),
  );
  const running = parts.find(({ is_running }) => is_running);
  const ended = parts.findLast(({ is_running }) => !is_running);
  const ranked = [running, ended].flatMap((part) => part ?? []).toSorted((a, b) => rankOf(b) - rankOf(a));
  return {
    answer: data,
    now,
    // recent data stays on screen while the page retries
    error: answer.error ?? (isRecent(data, now) ? null : answer.failureReason),
    /** The part over its limit, else the newer one; one that is not decided only if the other is not either. */
    main: ranked[0],
    other: ranked[1],
  };
}

const rankOf = (part: Stretch) =>
  part.state === 'over' ? 2 : part.state === 'undecided' && !isSoFar(part) ? 0 : 1;

/** Whether a part begins when the night does. False if the limits have no night. */
export function isNight({ from }: Pick<Stretch, 'from'>): boolean {
  const minute = Math.floor(timeZoneClock(serviceZone()).shows(Date.parse(from)) / MINUTE_MS) % 1440;
  return hasNight() && minute === siteNight().start;
}

/**
 * Whether the period over midnight is a night. It must start between 18:00 and 2:00, and last at most 12 hours, or 10 if it
 * starts after midnight.
 */
function hasNight(): boolean {
  const { start, end } = siteNight();
  const length = ((end - start + 1439) % 1440) + 1;
  return start >= 18 * 60 ? length <= 720 : start <= 120 && length <= 600;
}

const PATIENCE_MS = 300_000;

const isRecent = (data: Answer | undefined, now: number) =>
  data !== undefined && now - Date.parse(data.to) < PATIENCE_MS;
