// What is on screen, as the address says it: a link shows a colleague the same, and back undoes a zoom.
import { useSyncExternalStore } from 'react';

export interface View {
  /** `now-1h`, or a time in RFC 3339. */
  readonly from: string;
  /** `now`, or a time in RFC 3339. */
  readonly to: string;
  /** Of noise events, in dB. */
  readonly threshold: number;
  /** In place of the threshold: how far above the background, in dB. */
  readonly aboveBackground: number | null;
  /** Whether what is new is shown as it comes. */
  readonly isLive: boolean;
}

export const DEFAULT_VIEW: View = {
  from: 'now-24h',
  to: 'now',
  threshold: -10,
  aboveBackground: null,
  isLive: true,
};

const RELATIVE = /^now-(\d{1,6})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @returns the milliseconds before now of `now-1h`; undefined for another text */
export function lengthOf(from: string): number | undefined {
  const [, number, unit = ''] = RELATIVE.exec(from) ?? [];
  const ms = Number(number) * (UNIT_MS[unit] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

const isTime = (text: string) =>
  /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

/** A plus of an offset that was not escaped is a space. */
function timeIn(text: string): string | undefined {
  const time = text.replace(' ', '+');
  return isTime(time) ? time : undefined;
}

/**
 * @param search of an address, such as `?from=now-1h&threshold=-20`
 * @returns the view, and the names of the parameters that are wrong: these have their defaults
 */
export function readView(search: string): { view: View; wrong: string[] } {
  const given = new URLSearchParams(search);
  const wrong: string[] = [];
  const read = <T>(name: string, preset: T, parse: (text: string) => T | undefined): T => {
    const text = given.get(name);
    const value = text === null ? preset : parse(text);
    if (value === undefined) wrong.push(name);
    return value ?? preset;
  };
  const between = (min: number, max: number) => (text: string) => {
    const number = text === '' ? Number.NaN : Number(text);
    return number >= min && number <= max ? number : undefined;
  };
  let from = read('from', DEFAULT_VIEW.from, (text) => (lengthOf(text) ? text : timeIn(text)));
  let to = read('to', DEFAULT_VIEW.to, (text) => (text === 'now' ? text : timeIn(text)));
  // the end of what is relative is now, and an interval has a length
  const isRight = isTime(to)
    ? isTime(from) && Date.parse(from) < Date.parse(to)
    : lengthOf(from) || isPast(from);
  if (!isRight) {
    wrong.push('from', 'to');
    ({ from, to } = DEFAULT_VIEW);
  }
  return {
    view: {
      from,
      to,
      threshold: read('threshold', DEFAULT_VIEW.threshold, between(-50, 0)),
      aboveBackground: read<number | null>('above_background', null, between(3, 60)),
      isLive: read('live', true, (text) => ({ on: true, off: false })[text]),
    },
    wrong: [...new Set(wrong)],
  };
}

const isPast = (from: string) => isTime(from) && Date.parse(from) < Date.now();

/** @returns what {@link readView} reads; nothing for what is as by default */
export function writeView(view: View): string {
  const said = new URLSearchParams();
  if (view.from !== DEFAULT_VIEW.from || view.to !== DEFAULT_VIEW.to) {
    said.set('from', view.from);
    said.set('to', view.to);
  }
  if (view.threshold !== DEFAULT_VIEW.threshold) said.set('threshold', String(view.threshold));
  if (view.aboveBackground !== null) said.set('above_background', String(view.aboveBackground));
  if (!view.isLive) said.set('live', 'off');
  const text = String(said);
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

function current() {
  const { search } = location;
  if (search !== last.search) last = { search, read: readView(search) };
  return last.read;
}

/** How many steps back undoes before it leaves the page. */
export const stepsBack = () => (typeof history.state === 'number' ? history.state : 0);

/** @param step whether back undoes it */
export function changeView(change: Partial<View>, { step }: { step: boolean }): void {
  const address = `${location.pathname}${writeView({ ...current().view, ...change })}`;
  if (address === location.pathname + location.search) return;
  if (step) history.pushState(stepsBack() + 1, '', address);
  else history.replaceState(history.state, '', address);
  dispatchEvent(new Event(CHANGED));
}

export function useView() {
  return useSyncExternalStore(subscribe, current);
}
