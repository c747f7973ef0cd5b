// The subjects of the cards: the last whole night and the current part of the day, each compared with its limit.
import type { Outputs } from '../../client/index.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { useApiQuery } from '../state/api-queries.ts';
import { lastNight, MINUTE_MS } from '../state/calendar-intervals.ts';
import { asLevels } from '../state/shown-interval.ts';
import { type Info, serviceZone, siteNight } from '../state/site.ts';

type Answer = Outputs['stats']['limits'];
export type Stretch = Answer['parts'][number];

/** For stations without limits: the parts of the day in Directive 2002/49/EC. The zeros are not compared. */
const NO_LIMITS = '07-23=0,23-07=0';

/** @param now a whole minute, in ms since 1970 */
export function useStretches(info: Info, now: number) {
  const night = lastNight(now, serviceZone(), siteNight());
  const hasLimits = info.limits.length > 0;
  const input = {
    // including now: only then the service tells what a running part has left
    ...asLevels({ from: night.from, to: now + MINUTE_MS }),
    ...(!hasLimits && { limits: NO_LIMITS }),
  };
  const answer = useApiQuery('stats.limits', input, ({ stats }) => stats.limits.query);
  const { data } = answer;
  // without limits, a level has no state
  const parts = (data?.parts ?? []).map(
    (part): Stretch => (hasLimits ? part : { ...part, state: null, reason: null }),
  );
  return {
    answer: data,
    // recent data stays on screen while the page retries
    error: answer.error ?? (isRecent(data, now) ? null : answer.failureReason),
    // while another night loads, the answer is still that of the previous night
    night: parts.find(({ from }) => Date.parse(from) === night.from) ?? parts[0],
    /** The current part of the day; undefined if no limit applies now. */
    running: parts.find(({ is_running }) => is_running),
  };
}

/** Whether a stretch begins when the night does. False if the limits have no night. */
export function isNight({ from }: Stretch): boolean {
  const minute = Math.floor(timeZoneClock(serviceZone()).shows(Date.parse(from)) / MINUTE_MS) % 1440;
  return hasNight() && minute === siteNight().start;
}

/**
 * Whether the period over midnight is a night. It must start between 18:00 and 2:00, and last at most 12 hours, or 10 if it
 * starts after midnight.
 */
export function hasNight(): boolean {
  const { start, end } = siteNight();
  const length = ((end - start + 1439) % 1440) + 1;
  return start >= 18 * 60 ? length <= 720 : start <= 120 && length <= 600;
}

const PATIENCE_MS = 300_000;

const isRecent = (data: Answer | undefined, now: number) =>
  data !== undefined && now - Date.parse(data.to) < PATIENCE_MS;
