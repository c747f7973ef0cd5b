// Measures sound of one format, as the options say: live sound, and recordings.
import type { MeasuredPoint } from './measured-point.ts';
import { type MeasuringOptions, unreachableRange } from './measuring-options.ts';
import type { RawFormat } from './record-options.ts';
import { pickChannels } from './sound/channel-choice.ts';
import { unweighedBands } from './sound/frequency-weighting.ts';
import { createLiveMeter } from './sound/live-meter.ts';
import { createMeter } from './sound/meter.ts';
import { createSoundWatch } from './sound/sound-watch.ts';
import { createDecoder } from './sources/sample-format.ts';

/** Of one stretch of sound. */
export interface Measuring {
  /** Returns the points of the windows that this piece of sound completes. */
  push(piece: Uint8Array): MeasuredPoint[];
  /** Ends the sound. Returns the point of the last, shorter window if at least half of it is there. */
  finish(): MeasuredPoint[];
}

/**
 * @param say shows a line to the user
 * @returns `watch`, which watches the sound, and `begin`, at a canonical time or by a clock in milliseconds since 1970
 * @throws BadInput if the sound does not have the channel; `begin`, if the interval holds no sample
 */
export function createMeasuring(
  options: MeasuringOptions,
  { rateHz, format, channels }: RawFormat,
  say: (line: string) => void,
) {
  const picked = pickChannels(options.channel, channels);
  const unweighed = unweighedBands(options.weighting, rateHz);
  if (unweighed) say(unweighed);
  const unreachable = unreachableRange(options);
  if (unreachable) say(unreachable);
  const { referenceDb, calibrationDb = 0 } = options;
  const shiftDb = referenceDb === undefined ? 0 : calibrationDb - referenceDb;
  const watch = createSoundWatch({ ...options, shiftDb, rateHz, format, warn: say });
  const measuring = { ...options, shiftDb, rateHz, format, channels: picked.length, watch };
  return {
    watch,
    begin(start: string | (() => number)): Measuring {
      const meter =
        typeof start === 'string'
          ? createMeter({ ...measuring, start })
          : createLiveMeter(measuring, start, say);
      const decode = createDecoder(format, channels, picked);
      return { push: (piece) => meter.push(decode(piece)), finish: meter.finish };
    },
  };
}
