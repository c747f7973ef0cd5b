// A form for any two times.
import { type FormEvent, useState } from 'react';
import { countText } from '../locale-format.ts';
import { showInterval, wholeSecond } from '../state/shown-interval.ts';
import type { TimeSpan } from '../state/time-span.ts';
import { DAY_MS, MOST_MS } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import { shownTime, timeAtClocks } from './clock-times.ts';

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
