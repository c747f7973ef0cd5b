// The meter of live sound, which dates points by the clock of this machine, and reports corrections of that clock.
import { BadInput } from '../commands/input-files.ts';
import { minuteOf } from '../contract/instant.ts';
import type { MeasuredPoint } from './measured-point.ts';
import { createWindows, type Meter, type MeterOptions, type Window } from './meter.ts';
import { createLayoutWatch, createPaceWatch } from './pace-watch.ts';
import type { SampleFormat } from './sample-format.ts';
import { createWindowDates, type Dated } from './window-dates.ts';
import { lengthOf } from './window-power.ts';

/**
 * The time of a point is the start of its window. No window ends ahead of the clock. Points are returned once their
 * time is certain: after a second at the start, and within seconds after a long delay.
 *
 * @param clock milliseconds since 1970
 * @throws BadInput if the rate is too low for the interval to hold a sample. `push` throws it before the first point if
 * the sound likely has another format
 */
export function createLiveMeter(
  options: MeterOptions & { readonly format: SampleFormat },
  clock: () => number,
  warn: (line: string) => void = () => {},
): Meter {
  const windows = createWindows(options);
  const dates = createWindowDates<Window>(options.rateHz);
  const watchPace = createPaceWatch(options.rateHz, warn);
  const corrections = createCorrectionLog(warn);
  const doubtOf = createLayoutWatch(options.rateHz, options.format);
  /** Points that are held back while the format is in doubt. */
  const held: MeasuredPoint[] = [];
  let isMisread = false;
  let count = 0;
  function pointsOf(dated: ReturnType<typeof dates.arrived>): MeasuredPoint[] {
    corrections.add(dated);
    return dated.map(({ time, measured }) => ({ time, ...measured }));
  }
  return {
    push(sound) {
      const at = clock();
      count += lengthOf(sound);
      watchPace(count, at);
      held.push(...pointsOf(dates.arrived(windows.push(sound), count, at)));
      const doubt = doubtOf(count, at);
      isMisread = doubt instanceof BadInput;
      if (doubt instanceof BadInput) throw doubt;
      return doubt ? [] : held.splice(0);
    },
    finish() {
      if (isMisread) return [];
      const last = pointsOf(dates.end(windows.finish(), clock()));
      corrections.end();
      return [...held, ...last];
    },
  };
}

export function createCorrectionLog(say: (line: string) => void) {
  let saidMinute = '';
  let unsaid: { readonly time: string; readonly correctionMs: number }[] = [];

  function flush(): void {
    const [first] = unsaid;
    if (!first) return;
    const largest = unsaid.reduce((most, each) =>
      Math.abs(each.correctionMs) > Math.abs(most.correctionMs) ? each : most,
    );
    const count = unsaid.length === 1 ? '' : `${unsaid.length} corrections since ${first.time}, the largest `;
    say(
      `Clock corrected: ${count}${signed(largest.correctionMs)} ms at ${largest.time}. Sound was lost, the clock was set, or the sound card is off its rate.`,
    );
    unsaid = [];
  }

  return {
    /** @param windows oldest first */
    add(windows: readonly Dated[]): void {
      for (const { time, correctionMs } of windows) {
        const minute = minuteOf(time);
        if (minute !== saidMinute) flush();
        if (correctionMs === undefined) continue;
        unsaid.push({ time, correctionMs });
        if (minute === saidMinute) continue;
        flush();
        saidMinute = minute;
      }
    },
    /** Reports the corrections that the last line does not include. */
    end: flush,
  };
}

const signed = (ms: number) => `${ms > 0 ? '+' : ''}${ms}`;
