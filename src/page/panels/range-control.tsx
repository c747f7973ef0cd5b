// The range on screen: a step back, a menu of ranges, a step forward, and whether new points appear live.
import { intervalText, rangeText, zoneNames } from '../locale-format.ts';
import { PRESETS } from '../state/calendar-intervals.ts';
import { followsNow, movesOn, showNow, step } from '../state/shown-interval.ts';
import { serviceZone, timeZone } from '../state/site.ts';
import type { TimeSpan } from '../state/time-span.ts';
import { changeView, RANGES, timeOf, type View } from '../state/view-in-address.ts';
import { texts } from '../texts/texts.ts';
import { DatesForm } from './dates-form.tsx';
import { useOneTabStop } from './keyboard-focus.ts';
import { Menu } from './menu.tsx';

const { range } = texts;

const isRange = (view: View, length: string) =>
  view.preset === null && view.to === 'now' && timeOf(view.from, 0) === timeOf(`now-${length}`, 0);

/** For example `Last night`, `24 hours`, or the times. */
export function rangeName(view: View, { from, to }: TimeSpan): string {
  if (view.preset !== null) return range.presets[view.preset];
  const length = RANGES.find((each) => isRange(view, each));
  return length ? range.lengths[length] : rangeText(from, to, to - from < 600_000 ? 'second' : 'minute');
}

interface Props {
  readonly view: View;
  readonly interval: TimeSpan;
  /** Whether new points arrive. */
  readonly isRecording: boolean;
}

export function RangeControl({ view, interval, isRecording }: Props) {
  const stops = useOneTabStop<HTMLDivElement>(':scope > button');
  const isAtNow = followsNow(view);
  const zone = timeZone() === serviceZone() ? '' : ` ${zoneNames(interval.from, interval.to)}`;
  return (
    <div
      className="range"
      role="toolbar"
      aria-label={range.name}
      ref={stops.ref}
      onKeyDown={stops.onKeyDown}
      onFocus={stops.onFocus}
    >
      <button
        type="button"
        aria-label={range.earlier}
        title={range.earlier}
        onClick={() => step(interval, -1)}
      >
        ‹
      </button>
      <Menu label={`${rangeName(view, interval)}${zone}`} className="chosen">
        {(close) => (
          <>
            <p className="soft">{intervalText(interval.from, interval.to)}</p>
            <div className="choices">
              {PRESETS.map((preset) => (
                <button
                  key={preset}
                  {...close}
                  type="button"
                  aria-pressed={view.preset === preset}
                  onClick={() => changeView({ preset }, { step: true })}
                >
                  {range.presets[preset]}
                </button>
              ))}
              {RANGES.map((length) => (
                <button
                  key={length}
                  {...close}
                  type="button"
                  aria-pressed={isRange(view, length)}
                  onClick={() => changeView({ from: `now-${length}`, to: 'now' }, { step: true })}
                >
                  {range.lengths[length]}
                </button>
              ))}
            </div>
            <DatesForm key={`${view.from}${view.to}${view.preset}${timeZone()}`} interval={interval} />
          </>
        )}
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
        <button type="button" onClick={showNow}>
          {range.now}
        </button>
      )}
      <button
        type="button"
        className={`live${isRecording && isAtNow ? ' coming' : ''}`}
        aria-pressed={view.isLive}
        title={movesOn(view) ? range.liveMeans : range.liveStands}
        onClick={() => changeView({ isLive: !view.isLive }, { step: false })}
      >
        {range.live}
      </button>
    </div>
  );
}
