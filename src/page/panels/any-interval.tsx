// The interval on screen as a button, and below it a form for any two times.
import { type FormEvent, useState } from 'react';
import { countText, rangeText, zoneNames } from '../locale-format.ts';
import type { Interval } from '../state/interval.ts';
import { showInterval, wholeSecond } from '../state/shown-interval.ts';
import { DAY_MS, MOST_MS } from '../state/view-in-address.ts';
import { shownTime, timeAtClocks } from './clock-times.ts';

/** Shorter intervals are written with seconds. */
const SHORT_MS = 600_000;

export function AnyInterval({ interval }: { interval: Interval }) {
  const [wrong, setWrong] = useState('');
  const show = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    // a field left as it was keeps its time: in the hour that clocks repeat, the text is ambiguous
    const time = (name: 'from' | 'to') => {
      const text = String(given.get(name));
      return text === shownTime(interval[name]) ? interval[name] : timeAtClocks(text);
    };
    const [from, to] = [time('from'), time('to')];
    if (Number.isNaN(from) || Number.isNaN(to)) return setWrong('Both times are needed.');
    if (from >= to) return setWrong('“From” must be before “to”.');
    if (from >= Date.now()) return setWrong('“From” must not lie ahead.');
    if (to - from > MOST_MS) return setWrong(`At most ${countText(MOST_MS / DAY_MS)} days.`);
    setWrong('');
    event.currentTarget.closest('details')?.removeAttribute('open');
    showInterval({ from, to: Math.min(to, wholeSecond()) });
  };
  const precision = interval.to - interval.from < SHORT_MS ? 'second' : 'minute';
  return (
    <details className="any" name="popup">
      <summary>
        {rangeText(interval.from, interval.to, precision)} {zoneNames(interval.from, interval.to)}
      </summary>
      <form className="popup" onSubmit={show} noValidate>
        <label>
          From <input type="datetime-local" name="from" step={1} defaultValue={shownTime(interval.from)} />
        </label>
        <label>
          To <input type="datetime-local" name="to" step={1} defaultValue={shownTime(interval.to)} />
        </label>
        <button type="submit">Show</button>
        <p role="alert">{wrong}</p>
      </form>
    </details>
  );
}
