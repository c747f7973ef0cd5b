// The meter of live sound, which dates points by the clock of this machine.
import { BadInput } from '../bad-input.ts';
import type { MeasuredPoint } from '../measured-point.ts';
import type { SampleFormat } from '../sources/sample-format.ts';
import { createWindows, type Meter, type Window, type WindowsOptions } from './meter.ts';
import { createLayoutWatch, createPaceWatch } from './pace-watch.ts';
import { createWindowDates } from './window-dates.ts';
import { lengthOf } from './window-power.ts';

/**
 * The time of a point is the start of its window. No window ends ahead of the clock. Points are returned once their
 * time is certain: after a second at the start, and within seconds after a long delay.
 *
 * @param clock milliseconds since 1970
 * @param warn prints a line for the user
 * @throws BadInput if the rate is too low for the interval to hold a sample. `push` throws it before the first point if
 * the sound likely has another format
 */
export function createLiveMeter(
  options: WindowsOptions & { readonly format: SampleFormat },
  clock: () => number,
  warn: (line: string) => void = () => {},
): Meter {
  const windows = createWindows(options);
  const dates = createWindowDates<Window>(options.rateHz);
  const watchPace = createPaceWatch(options.rateHz, warn);
  const doubtOf = createLayoutWatch(options.rateHz, options.format);
  /** Points that are held back while the format is in doubt. */
  const held: MeasuredPoint[] = [];
  let isMisread = false;
  let count = 0;
  const point = ({
    k: _k,
    from: _from,
    to: _to,
    time,
    ...measured
  }: Window & { time: string }): MeasuredPoint => ({
    time,
    ...measured,
  });
  return {
    push(sound) {
      const at = clock();
      count += lengthOf(sound);
      watchPace(count, at);
      held.push(...dates.arrived(windows.push(sound), count, at).map(point));
      const doubt = doubtOf(count, at);
      isMisread = doubt instanceof BadInput;
      if (doubt instanceof BadInput) throw doubt;
      return doubt ? [] : held.splice(0);
    },
    finish: () => (isMisread ? [] : [...held, ...dates.end(windows.finish(), clock()).map(point)]),
  };
}
