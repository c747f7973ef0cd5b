// Controls of the interval: by the calendar, ranges, any two times, panning and zooming, comparison, the live switch.
import { type FormEvent, useState } from 'react';
import { countText, rangeText, zoneName } from '../locale-format.ts';
import { PRESETS, type Preset } from '../state/calendar-intervals.ts';
import { type Interval, movesOn, pan, showInterval, wholeSecond, zoom } from '../state/shown-interval.ts';
import { timeZone } from '../state/time-zone.ts';
import {
  type Comparison,
  changeView,
  DAY_MS,
  MOST_MS,
  stepsBack,
  timeOf,
  type View,
} from '../state/view-in-address.ts';
import { shownTime, timeAtClocks } from './clock-times.ts';

/** Shorter intervals are written with seconds. */
const SHORT_MS = 600_000;

export const PRESET_NAMES: Readonly<Record<Preset, string>> = {
  today: 'Today',
  'last-night': 'Last night',
  'this-week': 'This week',
};
const RANGES = ['15m', '1h', '6h', '24h', '7d', '30d'];

export function IntervalControls({ view, interval }: { view: View; interval: Interval }) {
  const moves = [
    { name: 'Back', sign: '↶', act: () => history.back(), isOff: stepsBack() === 0 },
    { name: 'Earlier', sign: '←', act: () => pan(interval, -0.5) },
    {
      name: 'Later',
      sign: '→',
      act: () => pan(interval, 0.5),
      isOff: view.to === 'now' && view.preset === null,
    },
    { name: 'Zoom in', sign: '+', act: () => zoom(interval, 0.5) },
    { name: 'Zoom out', sign: '−', act: () => zoom(interval, 2) },
  ];
  const isRange = (range: string) =>
    view.preset === null && view.to === 'now' && timeOf(view.from, 0) === timeOf(`now-${range}`, 0);
  return (
    <section className="controls" aria-label="Interval">
      <fieldset className="group">
        <legend className="hidden">Range</legend>
        {PRESETS.map((preset) => (
          <button
            key={preset}
            type="button"
            aria-pressed={view.preset === preset}
            onClick={() => changeView({ preset }, { step: true })}
          >
            {PRESET_NAMES[preset]}
          </button>
        ))}
        {RANGES.map((range) => (
          <button
            key={range}
            type="button"
            aria-pressed={isRange(range)}
            onClick={() => changeView({ from: `now-${range}`, to: 'now' }, { step: true })}
          >
            {range}
          </button>
        ))}
      </fieldset>
      <fieldset className="group">
        <legend className="hidden">Move</legend>
        {moves.map(({ name, sign, act, isOff = false }) => (
          // disabled it would lose the focus when there is nothing more to go back to
          <button
            key={name}
            type="button"
            aria-label={name}
            title={name}
            aria-disabled={isOff}
            onClick={() => !isOff && act()}
          >
            {sign}
          </button>
        ))}
      </fieldset>
      <AnyInterval key={`${view.from}${view.to}${view.preset}${timeZone()}`} interval={interval} />
      <label className="switch">
        <span>Compare with</span>
        <select
          value={view.compare ?? ''}
          onChange={({ target: { value } }) => {
            const compare: Comparison | null = value === 'day' || value === 'week' ? value : null;
            changeView({ compare }, { step: false });
          }}
        >
          <option value="">nothing</option>
          <option value="day">the day before</option>
          <option value="week">the week before</option>
        </select>
      </label>
      <label className="switch">
        <input
          type="checkbox"
          checked={view.isLive}
          onChange={({ target }) => changeView({ isLive: target.checked }, { step: false })}
        />
        Live{!movesOn(view) && ': the level alone'}
      </label>
    </section>
  );
}

function AnyInterval({ interval }: { interval: Interval }) {
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
        {rangeText(interval.from, interval.to, precision)} {zoneName(interval.to)}
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
