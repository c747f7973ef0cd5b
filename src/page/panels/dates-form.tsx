// A form for any two times.
import { type FormEvent, useState } from 'react';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { countText } from '../locale-format.ts';
import { showInterval, wholeSecond } from '../state/shown-interval.ts';
import { timeZone } from '../state/site.ts';
import type { TimeSpan } from '../state/time-span.ts';
import { DAY_MS, MOST_MS } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';

const { range } = texts;

export function DatesForm({ interval }: { interval: TimeSpan }) {
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
    event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
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
