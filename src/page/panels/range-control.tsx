// The range on screen: a step back, a menu of ranges, a step forward, and whether new points appear live.
import { type FormEvent, useState } from 'react';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { countText, intervalText, rangeText, zoneNames } from '../locale-format.ts';
import { DAY_MS, isYear, type TimeSpan } from '../state/calendar-intervals.ts';
import { followsNow, movesOn, showInterval, showNow, step, wholeSecond } from '../state/shown-interval.ts';
import { serviceZone, timeZone } from '../state/site.ts';
import { changeView, MOST_MS, timeOf, type View } from '../state/view-in-address.ts';
import { locales, texts } from '../texts/texts.ts';
import { useOneTabStop } from './keyboard-focus.ts';
import { closeMenu, Menu } from './menu.tsx';

const { range } = texts;

const UNITS: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day' };

/** Such as `24 hours` for 24h, or `24h` on a narrow screen. */
function nameOf(length: string, unitDisplay: 'long' | 'narrow'): string {
  const unit = UNITS[length.slice(-1)] ?? '';
  return Number.parseInt(length, 10).toLocaleString(locales, { style: 'unit', unit, unitDisplay });
}

/** Parts of the calendar, and ranges up to now: `Last night`, or `6 hours`. */
const choicesOf = (presets: readonly (keyof typeof range.presets)[], lengths: readonly string[]) => [
  ...presets.map((preset) => ({
    name: range.presets[preset],
    short: range.presets[preset],
    change: { preset },
    isOf: (view: View) => view.preset === preset || (preset === 'year' && isYear(view.preset)),
  })),
  ...lengths.map((length) => ({
    name: nameOf(length, 'long'),
    short: nameOf(length, 'narrow'),
    change: { from: `now-${length}`, to: 'now' },
    isOf: ({ preset, from, to }: View) =>
      preset === null && to === 'now' && timeOf(from, 0) === timeOf(`now-${length}`, 0),
  })),
];

/** The choices with a button of their own, and those in the menu. */
const BUTTONS = [...choicesOf(['night'], ['24h', '7d', '30d']), ...choicesOf(['year'], [])];
const CHOICES = choicesOf(['today', 'last-night', 'this-week'], ['15m', '1h', '6h']);

/** The name of a choice in the menu, or the times; '' for those with a button. */
const rangeName = (view: View, { from, to }: TimeSpan) =>
  BUTTONS.some(({ isOf }) => isOf(view))
    ? ''
    : (CHOICES.find(({ isOf }) => isOf(view))?.name ??
      rangeText(from, to, to - from < 600_000 ? 'second' : 'minute'));

interface Props {
  readonly view: View;
  readonly interval: TimeSpan;
  readonly isRecording: boolean;
}

export function RangeControl({ view, interval, isRecording }: Props) {
  const stops = useOneTabStop<HTMLDivElement>(':scope > button');
  const isAtNow = followsNow(view);
  const zone = timeZone() === serviceZone() ? '' : ` ${zoneNames(interval.from, interval.to)}`;
  const chosen = rangeName(view, interval);
  const live = (className: string) => (
    <button
      type="button"
      className={`live ${className}${isRecording && isAtNow ? ' coming' : ''}`}
      aria-pressed={view.isLive}
      title={movesOn(view) ? range.liveMeans : range.liveStands}
      onClick={() => changeView({ isLive: !view.isLive }, { step: false })}
    >
      {range.live}
    </button>
  );
  return (
    <div className="range" role="toolbar" aria-label={range.name} {...stops}>
      <button
        type="button"
        aria-label={range.earlier}
        title={range.earlier}
        onClick={() => step(interval, -1)}
      >
        ‹
      </button>
      {BUTTONS.map((choice) => (
        <Choice key={choice.name} of={choice} view={view} />
      ))}
      <Menu
        label={
          <>
            <span className="wide">{chosen || range.dates}</span>
            <span className="narrow">…</span>
            {zone}
          </>
        }
        name={chosen ? undefined : range.dates}
        className={`dates${chosen ? ' is-chosen' : ''}`}
      >
        <p className="soft">{intervalText(interval.from, interval.to)}</p>
        <div className="choices">
          {CHOICES.map((choice) => (
            <Choice key={choice.name} of={choice} view={view} />
          ))}
        </div>
        <DatesForm key={`${view.from}${view.to}${view.preset}${timeZone()}`} interval={interval} />
        {live('narrow')}
      </Menu>
      <button
        type="button"
        aria-label={range.later}
        title={range.later}
        aria-disabled={isAtNow} // `disabled` would lose the focus
        onClick={() => isAtNow || step(interval, 1)}
      >
        ›
      </button>
      {!isAtNow && (
        <button type="button" className="wide" onClick={showNow}>
          {range.now}
        </button>
      )}
      {live('wide')}
    </div>
  );
}

function Choice({ of, view }: { of: (typeof CHOICES)[number]; view: View }) {
  return (
    <button
      type="button"
      aria-pressed={of.isOf(view)}
      onClick={({ currentTarget }) => {
        closeMenu(currentTarget);
        changeView(of.change, { step: true });
      }}
    >
      <span className="wide">{of.name}</span>
      <span className="narrow">{of.short}</span>
    </button>
  );
}

function DatesForm({ interval }: { interval: TimeSpan }) {
  const [wrong, setWrong] = useState('');
  const show = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    // an unchanged field keeps its time: in the hour that clocks repeat, the text is ambiguous
    const time = (name: 'from' | 'to') => {
      const text = String(given.get(name));
      return text === shownTime(interval[name]) ? interval[name] : timeAtClocks(text);
    };
    const [from, to] = [time('from'), time('to')];
    if (Number.isNaN(from) || Number.isNaN(to)) return setWrong(range.bothNeeded);
    if (from >= to) return setWrong(range.reversed);
    if (from >= Date.now()) return setWrong(range.ahead);
    if (to - from > MOST_MS) return setWrong(range.tooLong(countText(MOST_MS / DAY_MS)));
    setWrong('');
    closeMenu(event.currentTarget);
    showInterval({ from, to: Math.min(to, wholeSecond()) });
  };
  return (
    <form onSubmit={show} noValidate>
      {(['from', 'to'] as const).map((name) => (
        <label key={name}>
          {range[name]}{' '}
          <input type="datetime-local" name={name} step={1} defaultValue={shownTime(interval[name])} />
        </label>
      ))}
      <button type="submit">{range.show}</button>
      <p role="alert">{wrong}</p>
    </form>
  );
}

/** For example `2026-01-01T09:30:00`. */
function shownTime(ms: number): string {
  return new Date(timeZoneClock(timeZone()).shows(ms)).toISOString().slice(0, 19);
}

/** @returns milliseconds since 1970; the first occurrence of a repeated time; NaN if the text is not a time */
function timeAtClocks(text: string): number {
  const shown = Date.parse(`${text}Z`);
  return Number.isNaN(shown) ? shown : timeZoneClock(timeZone()).firstAt(shown);
}
