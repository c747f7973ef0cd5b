// The answers about a year: its days, months and whole, and its nights against their limit.
import type { Outputs } from '../../client/index.ts';
import { minuteOfDay } from '../../contract/minute-of-day.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { useApiQuery } from '../state/api-queries.ts';
import { HOUR_MS, type TimeSpan } from '../state/calendar-intervals.ts';
import { asLevels } from '../state/shown-interval.ts';
import { scaleIn, serviceZone, siteNight } from '../state/site.ts';

export type Days = Outputs['stats']['days'];
export type Nights = Outputs['stats']['limits'];

/** From an hour of 1 January to that of the next, up to the end of the hour that runs. */
function yearSpan(year: number, hour: number): TimeSpan {
  const clock = timeZoneClock(serviceZone());
  const startOf = (each: number) => clock.firstAt(Date.UTC(each, 0, 1, hour));
  const end = Math.min(startOf(year + 1), (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS);
  return { from: startOf(year), to: Math.max(end, startOf(year) + HOUR_MS) };
}

/** Without the answer about another year. */
const ofThis = <Query extends { data: unknown; isPlaceholderData: boolean }>(query: Query): Query =>
  query.isPlaceholderData ? { ...query, data: undefined } : query;

/** Days begin at 7:00, as in stats.days. */
export function useDaysOf(year: number, by: 'day' | 'month' | 'year') {
  const input = { ...asLevels(yearSpan(year, 7)), by, time_zone: serviceZone() };
  return ofThis(useApiQuery('stats.days', input, ({ stats }) => stats.days.query));
}

/** From noon to noon: no night is cut. */
export function useNightsOf(year: number, parts: 'include' | 'omit', isNeeded: boolean) {
  const input = { ...asLevels(yearSpan(year, 12)), parts };
  return ofThis(useApiQuery('stats.limits', input, ({ stats }) => stats.limits.query, isNeeded));
}

/** The figures of a whole year, as far as they are known. */
export function useFiguresOf(year: number, hasLimits: boolean) {
  const { data } = useDaysOf(year, 'year');
  const limits = useNightsOf(year, 'omit', hasLimits).data?.limits;
  return {
    figures: data?.days[0],
    scale: scaleIn(data?.scale),
    nights: limits?.find(({ start }) => minuteOfDay(start) === siteNight().start),
  };
}
