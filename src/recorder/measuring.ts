// Measures live sound and recordings of one format, as the options request.
import { unweighedBands } from '../sound/frequency-weighting.ts';
import { createLiveMeter } from '../sound/live-meter.ts';
import type { MeasuredPoint } from '../sound/measured-point.ts';
import { createMeter, type Meter } from '../sound/meter.ts';
import { createDecoder, pickChannels, type SoundFormat } from '../sound/sample-format.ts';
import { createSoundWatch } from '../sound/sound-watch.ts';
import { type Also, FURTHER } from './also.ts';
import { type MeasuringOptions, unreachableRange } from './measuring-options.ts';

export interface Measuring {
  /** Returns the points of the windows that this piece of sound completes: those of each level, the first one first. */
  push(piece: Uint8Array): MeasuredPoint[][];
  /** Ends the input. Returns the point of the last window if it is at least half full, of each level. */
  finish(): MeasuredPoint[][];
}

/**
 * @returns `watch`, which counts faults of the sound, and `begin`. `begin` takes a recording's canonical start, or a
 * clock (ms since 1970) for live sound. It throws BadInput if the interval is too short to hold a sample
 * @throws BadInput if the sound lacks the channel
 */
export function createMeasuring(
  options: MeasuringOptions & { readonly also?: readonly Also[] },
  { rateHz, format, channels }: SoundFormat,
  say: (line: string) => void,
) {
  const picked = pickChannels(options.channel, channels);
  const { referenceDb, calibrationDb = 0, also = [] } = options;
  const further = also.map((each) => ({ ...options, ...FURTHER[each] }));
  for (const weighting of new Set([options, ...further].map((level) => level.weighting))) {
    const unweighed = unweighedBands(weighting, rateHz);
    if (unweighed) say(unweighed);
  }
  const unreachable = unreachableRange(options);
  if (unreachable) say(unreachable);
  const shiftDb = referenceDb === undefined ? 0 : calibrationDb - referenceDb;
  const sound = { shiftDb, rateHz, format, channels: picked.length };
  const watchSound = (warn: typeof say) => createSoundWatch({ ...options, ...sound, warn });
  const watch = watchSound(say);
  const quiet = () => {}; // the first meter already reports faults of the sound
  const levels = [
    { ...options, ...sound, warn: say, watch },
    ...further.map((level) => ({ ...level, ...sound, warn: quiet, watch: watchSound(quiet) })),
  ];
  return {
    watch,
    begin(start: string | (() => number)): Measuring {
      let now = 0;
      const tick = () => {
        if (typeof start === 'function') now = start();
      };
      const meters = levels.map((level) =>
        typeof start === 'string'
          ? createMeter({ ...level, start })
          : createLiveMeter(level, () => now, level.warn),
      );
      return together(createDecoder(format, channels, picked), meters, tick);
    },
  };
}

/** @param tick called once per piece, so that all meters get the same time */
function together(
  decode: ReturnType<typeof createDecoder>,
  meters: readonly Meter[],
  tick: () => void,
): Measuring {
  /** Calls all meters, even if one throws. */
  function all(points: (meter: Meter) => MeasuredPoint[]): MeasuredPoint[][] {
    tick();
    const faults: unknown[] = [];
    const levels = meters.map((meter) => {
      try {
        return points(meter);
      } catch (error) {
        faults.push(error);
        return [];
      }
    });
    if (faults.length > 0) throw faults[0];
    return levels;
  }
  return {
    push(piece) {
      const sound = decode(piece);
      return all((meter) => meter.push(sound));
    },
    finish: () => all((meter) => meter.finish()),
  };
}
