// The view, kept in the page's address: a link shows others the same, and Back undoes a zoom.
import { useSyncExternalStore } from 'react';
import { instantOf, parseInstant } from '../../contract/instant.ts';
import { isTimeZone } from '../../contract/time-zone-clock.ts';
import { DAY_MS, isYear, PRESETS, type Preset } from './calendar-intervals.ts';

export interface View {
  /** A time in the API's notation, such as `now-1h`. */
  readonly from: string;
  readonly to: string;
  /** A calendar interval, which replaces `from` and `to`. */
  readonly preset: Preset | null;
  /** An IANA time zone; null for the zone of the service. */
  readonly timeZone: string | null;
  /** Whether new points appear live. */
  readonly isLive: boolean;
}

/** A phone opens on the night, other screens on the last 24 hours. */
const isNarrow = globalThis.matchMedia?.('(max-width: 700px)').matches ?? false;

export const DEFAULT_VIEW: View = {
  from: 'now-24h',
  to: 'now',
  preset: isNarrow ? 'night' : null,
  timeZone: null,
  isLive: true,
};

/** The longest interval: about as many days as a chart has buckets. */
export const MOST_MS = 1900 * DAY_MS;

/** @returns milliseconds since 1970; NaN if the text is not a time */
export function timeOf(text: string, now: number): number {
  return Date.parse(parseInstant(text, instantOf(now)) ?? '');
}

/**
 * @param search the query of an address, such as `?from=now-1h&live=off`
 * @returns the view, and the names of wrong parameters: these get their defaults. Ignores names that the page does not know
 */
export function readView(search: string): { view: View; wrong: string[] } {
  const given = new URLSearchParams(search);
  const now = Date.now();
  const wrong: string[] = [];
  const read = <T>(name: string, preset: T, parse: (text: string) => T | undefined): T => {
    const [text, ...more] = given.getAll(name);
    if (text === undefined) return preset;
    const value = more.length > 0 ? undefined : parse(text);
    if (value === undefined) wrong.push(name);
    return value ?? preset;
  };
  const time = (text: string) => (Number.isNaN(timeOf(text, now)) ? undefined : text);
  let from = read('from', DEFAULT_VIEW.from, time);
  let to = read('to', DEFAULT_VIEW.to, time);
  const [start, end] = [timeOf(from, now), timeOf(to, now)];
  if (start >= end || start >= now || end - start > MOST_MS) {
    wrong.push('from', 'to');
    ({ from, to } = DEFAULT_VIEW);
  }
  const isOfTimes = given.has('from') || given.has('to');
  return {
    view: {
      from,
      to,
      preset: read<Preset | null>('show', isOfTimes ? null : DEFAULT_VIEW.preset, (text) =>
        isYear(text) ? text : PRESETS.find((name) => name === text),
      ),
      timeZone: read<string | null>('time_zone', null, (text) => (isTimeZone(text) ? text : undefined)),
      isLive: read('live', true, (text) => text === 'on' || (text === 'off' ? false : undefined)),
    },
    wrong: [...new Set(wrong)],
  };
}

const isDefault = ({ from, to, preset }: View) =>
  preset === DEFAULT_VIEW.preset &&
  (preset !== null || (from === DEFAULT_VIEW.from && to === DEFAULT_VIEW.to));

/** @returns the query of an address for {@link readView}, without defaults */
export function writeView(view: View): string {
  const said = new URLSearchParams();
  if (!isDefault(view) && view.preset !== null) said.set('show', view.preset);
  else if (!isDefault(view)) {
    said.set('from', view.from);
    said.set('to', view.to);
  }
  if (view.timeZone !== null) said.set('time_zone', view.timeZone);
  if (!view.isLive) said.set('live', 'off');
  const text = String(said).replaceAll('%3A', ':').replaceAll('%2F', '/'); // keeps times and zones readable
  return text && `?${text}`;
}

const CHANGED = 'viewchange';

function subscribe(listener: () => void): () => void {
  for (const type of ['popstate', CHANGED]) addEventListener(type, listener);
  return () => {
    for (const type of ['popstate', CHANGED]) removeEventListener(type, listener);
  };
}

let last = { search: '', read: readView('') };

export function currentView() {
  const { search } = location;
  if (search !== last.search) last = { search, read: readView(search) };
  return last.read;
}

/**
 * @param change new fields; new times replace a calendar interval
 * @param step whether Back undoes it
 * @returns whether the view changed
 */
export function changeView(change: Partial<View>, { step }: { step: boolean }): boolean {
  const preset = 'from' in change ? { preset: null } : {};
  const address = `${location.pathname}${writeView({ ...currentView().view, ...preset, ...change })}`;
  if (address === location.pathname + location.search) return false;
  if (step) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  dispatchEvent(new Event(CHANGED));
  return true;
}

export function useView() {
  return useSyncExternalStore(subscribe, currentView);
}

/** @returns the view. For a fresh station, the shortest range with all its points replaces the default */
export function showFresh(view: View, oldest: string | null): View {
  if (!isDefault(view) || oldest === null) return view;
  const now = Date.now();
  const range = ['15m', '1h', '6h', '24h'].find((each) => timeOf(`now-${each}`, now) <= Date.parse(oldest));
  return range === undefined ? view : { ...view, preset: null, from: `now-${range}` };
}
