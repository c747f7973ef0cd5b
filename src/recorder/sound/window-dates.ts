// Dates the windows of live sound, and holds them until their time is certain.
import { instantOfMicros } from '../../contract/instant.ts';
import { createSoundClock } from './sound-clock.ts';

/** The samples of a window: from `from` up to, but not including, `to`. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/** So many are held at most: sound that is faster than real time would never be dated. */
const MOST_HELD = 100_000;

export function createWindowDates<Held extends Window>(rateHz: number) {
  const clock = createSoundClock(rateHz);
  let held: Held[] = [];
  let lastMicros = Number.NEGATIVE_INFINITY;

  /** Each later than the one before, unless the clock was set back. */
  function dated(window: Held, at: number): Held & { time: string } {
    const micros = Math.floor(clock.timeOf(window.from) * 1000);
    lastMicros = lastMicros < at * 1000 ? Math.max(micros, lastMicros + 1) : micros;
    return { ...window, time: instantOfMicros(BigInt(lastMicros)) };
  }

  function release(at: number): (Held & { time: string })[] {
    const decided = clock.decided();
    const place = held.findIndex(({ to }) => to > decided);
    const certain = place < 0 ? held : held.slice(0, place);
    held = place < 0 ? [] : held.slice(place);
    return certain.map((window) => dated(window, at));
  }

  return {
    /**
     * @param windows that are complete now
     * @param samples how many have arrived in all
     * @param at when, in milliseconds since 1970
     * @returns the windows whose time is certain, oldest first
     */
    arrived(windows: readonly Held[], samples: number, at: number) {
      clock.arrived(samples, at);
      held = held.concat(windows);
      if (held.length > MOST_HELD) clock.decideNow();
      return release(at);
    },
    /** @returns all that are held, and these */
    end(windows: readonly Held[], at: number) {
      clock.decideNow();
      held = held.concat(windows);
      return release(at);
    },
  };
}
