// Controls of the interval: by the calendar, ranges, any two times, panning and zooming, the live switch.
import { PRESETS, type Preset } from '../state/calendar-intervals.ts';
import type { Interval } from '../state/interval.ts';
import { followsNow, movesOn, pan, showNow, zoom } from '../state/shown-interval.ts';
import { timeZone } from '../state/time-zone.ts';
import { changeView, stepsBack, timeOf, type View } from '../state/view-in-address.ts';
import { AnyInterval } from './any-interval.tsx';

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
      isOff: followsNow(view),
    },
    { name: 'Now', sign: 'Now', act: showNow, isOff: followsNow(view) },
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
      <label className="switch">
        <input
          type="checkbox"
          checked={view.isLive}
          onChange={({ target }) => changeView({ isLive: target.checked }, { step: false })}
        />
        Live{!movesOn(view) && ': the level alone, the chart stands still'}
      </label>
      <AnyInterval key={`${view.from}${view.to}${view.preset}${timeZone()}`} interval={interval} />
    </section>
  );
}
