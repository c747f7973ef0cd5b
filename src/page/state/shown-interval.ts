// The interval on screen: from the view and the clock to times, and where zooming and panning lead.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { FIRST_INSTANT, isRelative } from '../../contract/instant.ts';
import { changeView, currentView, MOST_MS, timeOf, type View } from './view-in-address.ts';

/** Half open, in milliseconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

const LEAST_MS = 10_000;
const FIRST_MS = Date.parse(FIRST_INSTANT);
const LENGTHS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
] as const;

/** @returns the interval of a view at a time */
export function intervalOf({ from, to }: Pick<View, 'from' | 'to'>, now: number): Interval {
  return { from: timeOf(from, now), to: timeOf(to, now) };
}

export const iso = (ms: number) => new Date(ms).toISOString();

/** An interval as the parameters of a question. */
export const asInput = ({ from, to }: Interval) => ({ from: iso(from), to: iso(to) });

/** How often an interval moves on, in milliseconds: when some of a chart's buckets are new. */
const everyMs = ({ from, to }: Interval) => Math.min(Math.max((to - from) / 500, 2000), 60_000);

/** Whether what a view shows depends on the clock. */
export const movesOn = ({ from, to }: Pick<View, 'from' | 'to'>) => isRelative(from) || isRelative(to);

/**
 * The interval of the view, which moves on while `isMoving`, but not past what is still being asked. Its times are
 * whole seconds where it moves.
 */
export function useInterval({ from, to }: View, isMoving: boolean): Interval {
  const queries = useQueryClient();
  const key = `${from} ${to}`;
  const [read, setRead] = useState({ key, now: wholeSecond() });
  const isNew = read.key !== key;
  const now = isNew ? wholeSecond() : read.now;
  if (isNew) setRead({ key, now });
  const interval = useMemo(() => intervalOf({ from, to }, now), [from, to, now]);
  const moves = isMoving && movesOn({ from, to });
  const every = everyMs(interval);
  useEffect(() => {
    if (!moves) return;
    const move = () => {
      if (queries.isFetching() === 0) setRead({ key, now: wholeSecond() });
    };
    if (wholeSecond() - now >= every) move(); // nobody looked for a while
    const timer = setInterval(move, every);
    return () => clearInterval(timer);
  }, [key, now, every, moves, queries]);
  return interval;
}

/** The second that has begun, in milliseconds since 1970. */
export const wholeSecond = () => Math.floor(Date.now() / 1000) * 1000;

/**
 * Shows an interval: a longer one around its middle where it is too short, a shorter one where it is too long, and none
 * that ends ahead of now. From a view that ends now, one that ends there too goes on doing so.
 *
 * @returns whether it is another than before
 */
export function showInterval({ from, to }: Interval): boolean {
  const now = wholeSecond();
  const length = Math.round(Math.min(Math.max(to - from, LEAST_MS), MOST_MS));
  const middle = (from + to) / 2;
  const end = Math.max(Math.min(Math.round(middle + length / 2), now), FIRST_MS + length);
  const { view } = currentView();
  const endsNow = view.to === 'now' && end >= now - everyMs(intervalOf(view, now));
  const shown = endsNow ? { from: ago(length), to: 'now' } : { from: iso(end - length), to: iso(end) };
  return changeView(shown, { step: true });
}

/** Such as `now-2h`, to the second. */
function ago(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [length, unit] = LENGTHS.find(([length]) => seconds % length === 0) ?? [1, 's'];
  return `now-${seconds / length}${unit}`;
}

/** @param share of its length; positive ones lead to later times */
export function pan({ from, to }: Interval, share: number): void {
  const by = (to - from) * share;
  showInterval({ from: from + by, to: to + by });
}

/** @param factor below 1 for a closer look */
export function zoom({ from, to }: Interval, factor: number, around = (from + to) / 2): void {
  showInterval({ from: around - (around - from) * factor, to: around + (to - around) * factor });
}
