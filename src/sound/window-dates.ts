// Dates windows: those of a recording by number, and those of live sound by the clock, once their time is certain.
import { BadInput } from '../commands/input-files.ts';
import { instantOfMicros, LAST_MICROS, microsOf } from '../contract/instant.ts';
import { createSoundClock } from './sound-clock.ts';

/**
 * Exact to the microsecond, even in long recordings.
 *
 * @param start canonical
 * @returns a function that returns the canonical start of window k, counted from 0. It throws BadInput for a window after
 * the year 9999.
 */
export function createTimeline(start: string, intervalMs: number) {
  const first = microsOf(start);
  return (k: number): string => {
    const micros = first + BigInt(Math.round(k * intervalMs * 1000));
    if (micros > LAST_MICROS)
      throw new BadInput(
        `the sound from ${start} on would reach beyond the year 9999, which cannot be stored`,
      );
    return instantOfMicros(micros);
  };
}

/** The most windows to hold: without a limit, sound faster than real time would never be dated. */
const MOST_HELD = 100_000;

/** The least correction to note: a slightly fast sound card gives 1 ms, the clock's resolution, every few seconds. */
const LEAST_CORRECTION_MS = 2;

export interface Dated {
  readonly time: string;
  /** How much later the window begins than the previous one predicts, if at least {@link LEAST_CORRECTION_MS}. */
  readonly correctionMs?: number;
}

/** Holds the windows of live sound until their time is certain. */
export function createWindowDates<Held extends { readonly from: number; readonly to: number }>(
  rateHz: number,
) {
  const clock = createSoundClock(rateHz);
  let held: Held[] = [];
  let lastMicros = Number.NEGATIVE_INFINITY;
  /** The first sample of the last dated window. */
  let lastFrom: number | undefined;

  /** Makes each date later than the previous one, unless the clock was set back. */
  function dated(window: Held, at: number): Held & Dated {
    const { from } = window;
    const expected = lastFrom === undefined ? undefined : lastMicros + ((from - lastFrom) * 1e6) / rateHz;
    const micros = Math.floor(clock.timeOf(from) * 1000);
    lastMicros = lastMicros < at * 1000 ? Math.max(micros, lastMicros + 1) : micros;
    lastFrom = from;
    const time = instantOfMicros(BigInt(lastMicros));
    const correctionMs = expected === undefined ? 0 : Math.round(lastMicros - expected) / 1000;
    return { ...window, time, ...(Math.abs(correctionMs) >= LEAST_CORRECTION_MS && { correctionMs }) };
  }

  function release(at: number): (Held & Dated)[] {
    const decided = clock.decided();
    const certain = held.filter(({ to }) => to <= decided);
    held = held.slice(certain.length);
    return certain.map((window) => dated(window, at));
  }

  return {
    /**
     * @param windows the windows that are now complete
     * @param samples how many have arrived in total
     * @param at when, in milliseconds since 1970
     * @returns the windows whose time is certain, oldest first
     */
    arrived(windows: readonly Held[], samples: number, at: number) {
      clock.arrived(samples, at);
      held = held.concat(windows);
      if (held.length > MOST_HELD) clock.decideNow();
      return release(at);
    },
    /** @returns all held windows, then these */
    end(windows: readonly Held[], at: number) {
      clock.decideNow();
      held = held.concat(windows);
      return release(at);
    },
  };
}
