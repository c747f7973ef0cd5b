// The interval on screen: turns the view and the clock into times, and zooms and pans.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { FIRST_INSTANT, isRelative, UNIT_MS } from '../../contract/instant.ts';
import { tookTooLong } from './answer-faults.ts';
import {
  aroundNight,
  calendarInterval,
  DAY_MS,
  daysBefore,
  HOUR_MS,
  isYear,
  lastNight,
  MINUTE_MS,
  type TimeSpan,
  yearOf,
} from './calendar-intervals.ts';
import { offsetIn, serviceZone, siteNight, timeZone } from './site.ts';
import { changeView, currentView, MOST_MS, timeOf, type View, writeView } from './view-in-address.ts';

const LEAST_MS = 10_000;
const LEAST_STEP_MS = 10_000;
const FIRST_MS = Date.parse(FIRST_INSTANT);

type IntervalChoice = Pick<View, 'from' | 'to' | 'preset'>;

export function intervalOf({ from, to, preset }: IntervalChoice, now: number, zone: string): TimeSpan {
  if (preset === 'last-night') return lastNight(now, serviceZone(), siteNight());
  if (preset === 'night') return aroundNight(now, serviceZone(), siteNight());
  if (preset !== null) return calendarInterval(preset, now, isYear(preset) ? serviceZone() : zone);
  return { from: timeOf(from, now), to: timeOf(to, now) };
}

/** The ends of a part of an answer. */
export const timesIn = ({ from, to }: { readonly from: string; readonly to: string }): TimeSpan => ({
  from: Date.parse(from),
  to: Date.parse(to),
});

export const iso = (ms: number) => new Date(ms).toISOString();

export const asInput = ({ from, to }: TimeSpan) => ({ from: iso(from), to: iso(to) });

/** An interval as parameters of a call that returns levels: absolute ones if the interval is calibrated. */
export const asLevels = (interval: TimeSpan) => ({
  ...asInput(interval),
  ...(offsetIn(interval) !== null && { levels: 'absolute' as const }),
});

/** Step lengths of a moving interval. On the chart, a step is only a bucket or two wide. */
const STEPS_MS = [10_000, 30_000, 60_000, 300_000];

/** @returns the longest step that is a small part of the interval, or the shortest of all */
export function stepOf({ from, to }: TimeSpan): number {
  return STEPS_MS.findLast((step) => step * 300 <= to - from) ?? LEAST_STEP_MS;
}

/** Now, rounded down to a whole step, so that viewers of the same page send the same requests. */
function snapped(choice: IntervalChoice, zone: string): number {
  const now = Date.now();
  const step = stepOf(intervalOf(choice, now, zone));
  return Math.floor(now / step) * step;
}

/** After a timeout the interval stands still until the reader decides whether to retry. */
const hasGivenUp = (queries: QueryClient) =>
  queries
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state: { error } }) => tookTooLong(error));

/** Whether the interval of a view depends on the clock. */
export const movesOn = ({ from, to, preset }: IntervalChoice) =>
  preset !== null || isRelative(from) || isRelative(to);

/** A lasting address of the view: it changes neither with the clock nor with the service's time zone. */
export function stillAddress(view: View, { from, to }: TimeSpan): string {
  const year = isYear(view.preset) ? (`${yearOf(view.preset, from, serviceZone())}` as const) : null;
  const still = { preset: year, from: iso(from), to: iso(to), timeZone: timeZone(), isLive: false };
  return `${location.origin}${location.pathname}${writeView({ ...view, ...still })}`;
}

export const followsNow = ({ to, preset }: IntervalChoice) =>
  preset === null ? to === 'now' : ['today', 'this-week', 'year'].includes(preset);

/**
 * The interval of the view. While `isMoving`, it follows the clock in steps of at least 10 s, and waits for pending
 * queries.
 *
 * @param pointsSince the end of history, whose minutes are not divided
 */
export function useInterval(
  { from, to, preset }: View,
  isMoving: boolean,
  pointsSince: string | null,
): TimeSpan {
  const queries = useQueryClient();
  const zone = timeZone();
  const choice = { from, to, preset };
  const key = `${from} ${to} ${preset} ${zone}`;
  const [read, setRead] = useState(() => ({ key, now: snapped(choice, zone) }));
  const isNew = read.key !== key;
  const now = isNew ? snapped(choice, zone) : read.now;
  if (isNew) setRead({ key, now });
  const interval = useMemo(
    () => inWholeMinutes(intervalOf({ from, to, preset }, now, zone), pointsSince),
    [from, to, preset, zone, now, pointsSince],
  );
  const moves = isMoving && movesOn(choice);
  useEffect(() => {
    if (!moves) return;
    const move = () => {
      const next = snapped({ from, to, preset }, zone);
      if (next > now && queries.isFetching() === 0 && !hasGivenUp(queries)) setRead({ key, now: next });
    };
    move(); // catches up after the tab was hidden
    // at whole seconds: simultaneous requests share an answer
    let timer = setTimeout(function tick() {
      move();
      timer = setTimeout(tick, toNextSecond());
    }, toNextSecond());
    return () => clearTimeout(timer);
  }, [key, from, to, preset, zone, now, moves, queries]);
  return interval;
}

/** Extends an interval to whole minutes at the ends that lie in history. */
export function inWholeMinutes({ from, to }: TimeSpan, pointsSince: string | null): TimeSpan {
  const since = Date.parse(pointsSince ?? '');
  const [start, end] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
  return { from: from < since ? start * MINUTE_MS : from, to: to < since ? end * MINUTE_MS : to };
}

const toNextSecond = () => 1000 - (Date.now() % 1000);

/** A time, now by default, rounded down to a second, in milliseconds since 1970. */
export const wholeSecond = (ms = Date.now()) => Math.floor(ms / 1000) * 1000;

/**
 * Shows an interval. Resizes it around its middle if it is too short or too long, and never ends it in the future. If
 * the view and the interval both end at `now`, the view keeps following the clock.
 *
 * @returns whether the view changed
 */
export function showInterval({ from, to }: TimeSpan): boolean {
  const now = wholeSecond();
  const length = Math.round(Math.min(Math.max(to - from, LEAST_MS), MOST_MS));
  const middle = (from + to) / 2;
  const end = Math.max(Math.min(Math.round(middle + length / 2), now), FIRST_MS + length);
  const { view } = currentView();
  const endsNow =
    followsNow(view) && end >= now - Math.min(stepOf(intervalOf(view, now, timeZone())), length / 20);
  const shown = endsNow ? { from: ago(length), to: 'now' } : { from: iso(end - length), to: iso(end) };
  return changeView(shown, { step: true });
}

/** For example `now-2h`, to the second, in the longest unit that fits. */
function ago(ms: number): string {
  const whole = Math.round(ms / 1000) * 1000;
  const [unit, length] = Object.entries(UNIT_MS).findLast(([, length]) => whole % length === 0) ?? [
    's',
    1000,
  ];
  return `now-${whole / length}${unit}`;
}

/** @param share of the interval's length; positive is later */
export function pan({ from, to }: TimeSpan, share: number): void {
  const by = (to - from) * share;
  showInterval({ from: from + by, to: to + by });
}

/** Longer intervals move by whole days: from one night to the night before. */
const DAILY_MS = 6 * HOUR_MS;

/** @param by -1 for the previous interval, 1 for the next */
export function step(interval: TimeSpan, by: -1 | 1): void {
  const length = interval.to - interval.from;
  const { preset } = currentView().view;
  if (isYear(preset)) showYear(yearOf(preset, Date.now(), serviceZone()) + by);
  else if (length <= DAILY_MS) pan(interval, by);
  else showInterval(daysBefore(interval, -by * Math.ceil(length / DAY_MS), timeZone()));
}

/**
 * Without `around`, a view that ends now keeps following the clock.
 *
 * @param factor of the length; below 1 zooms in
 * @param around the time that keeps its position; the middle by default
 */
export function zoom({ from, to }: TimeSpan, factor: number, around?: number): void {
  const still = around ?? (from + to) / 2;
  if (around === undefined && followsNow(currentView().view)) followNow((to - from) * factor);
  else showInterval({ from: still - (still - from) * factor, to: still + (to - still) * factor });
}

function showYear(year: number): void {
  const isThis = year === yearOf('year', Date.now(), serviceZone());
  changeView({ preset: isThis ? 'year' : `${year}` }, { step: true });
}

/** Shows an interval of the same length that ends now and follows it; of a year, this one. */
export function showNow(): void {
  const { view } = currentView();
  const { from, to } = intervalOf(view, wholeSecond(), timeZone());
  if (isYear(view.preset)) changeView({ preset: 'year' }, { step: true });
  else followNow(to - from);
}

function followNow(lengthMs: number): void {
  const length = Math.min(Math.max(lengthMs, LEAST_MS), MOST_MS);
  changeView({ from: ago(length), to: 'now' }, { step: true });
}
