// The interval on screen: from the view and the clock to times, and where zooming and panning lead.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { FIRST_INSTANT, isRelative, UNIT_SECONDS } from '../../contract/instant.ts';
import { calendarInterval } from './calendar-intervals.ts';
import { timeZone } from './time-zone.ts';
import { changeView, currentView, MOST_MS, timeOf, type View } from './view-in-address.ts';

/** Half open, in milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

const LEAST_MS = 10_000;
const FIRST_MS = Date.parse(FIRST_INSTANT);

/** What of a view says which interval it is. */
type IntervalChoice = Pick<View, 'from' | 'to' | 'preset'>;

/** @returns the interval of a view at a time */
export function intervalOf({ from, to, preset }: IntervalChoice, now: number, zone: string): Interval {
  if (preset !== null) return calendarInterval(preset, now, zone);
  return { from: timeOf(from, now), to: timeOf(to, now) };
}

export const iso = (ms: number) => new Date(ms).toISOString();

/** An interval as parameters of an API call. */
export const asInput = ({ from, to }: Interval) => ({ from: iso(from), to: iso(to) });

/** How often a moving interval is updated: each time a few buckets of the chart are new. */
const everyMs = ({ from, to }: Interval) => Math.min(Math.max((to - from) / 500, 2000), 60_000);

/** Whether the interval of a view depends on the clock. */
export const movesOn = ({ from, to, preset }: IntervalChoice) =>
  preset !== null || isRelative(from) || isRelative(to);

/**
 * The interval of the view. While `isMoving` it follows the clock in whole seconds, and waits for pending queries.
 */
export function useInterval({ from, to, preset }: View, isMoving: boolean): Interval {
  const queries = useQueryClient();
  const zone = timeZone();
  const key = `${from} ${to} ${preset} ${zone}`;
  const [read, setRead] = useState({ key, now: wholeSecond() });
  const isNew = read.key !== key;
  const now = isNew ? wholeSecond() : read.now;
  if (isNew) setRead({ key, now });
  const interval = useMemo(() => intervalOf({ from, to, preset }, now, zone), [from, to, preset, zone, now]);
  const moves = isMoving && movesOn({ from, to, preset });
  const every = everyMs(interval);
  useEffect(() => {
    if (!moves) return;
    const move = () => {
      if (queries.isFetching() === 0) setRead({ key, now: wholeSecond() });
    };
    if (wholeSecond() - now >= every) move(); // the tab was hidden for a while
    const timer = setInterval(move, every);
    return () => clearInterval(timer);
  }, [key, now, every, moves, queries]);
  return interval;
}

/** Now, rounded down to a second, in milliseconds since 1970. */
export const wholeSecond = () => Math.floor(Date.now() / 1000) * 1000;

/**
 * Shows an interval. One too short or too long is resized around its middle; none ends in the future. If the view ended
 * at `now` and the interval does too, it keeps following the clock.
 *
 * @returns whether the view changed
 */
export function showInterval({ from, to }: Interval): boolean {
  const now = wholeSecond();
  const length = Math.round(Math.min(Math.max(to - from, LEAST_MS), MOST_MS));
  const middle = (from + to) / 2;
  const end = Math.max(Math.min(Math.round(middle + length / 2), now), FIRST_MS + length);
  const { view } = currentView();
  const endsNow = view.to === 'now' && end >= now - everyMs(intervalOf(view, now, timeZone()));
  const shown = endsNow ? { from: ago(length), to: 'now' } : { from: iso(end - length), to: iso(end) };
  return changeView(shown, { step: true });
}

/** Such as `now-2h`, to the second, in the longest unit that fits. */
function ago(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const units = Object.entries(UNIT_SECONDS); // the longest is the last
  const [unit, length] = units.findLast(([, length]) => seconds % length === 0) ?? ['s', 1];
  return `now-${seconds / length}${unit}`;
}

/** @param share of the interval's length; positive is later */
export function pan({ from, to }: Interval, share: number): void {
  const by = (to - from) * share;
  showInterval({ from: from + by, to: to + by });
}

/** @param factor of the length; below 1 zooms in */
export function zoom({ from, to }: Interval, factor: number, around = (from + to) / 2): void {
  showInterval({ from: around - (around - from) * factor, to: around + (to - around) * factor });
}
