// Measures live sound and recordings of one format, as the options request.

import { unweighedBands } from '../sound/frequency-weighting.ts';
import { createLiveMeter } from '../sound/live-meter.ts';
import type { MeasuredPoint } from '../sound/measured-point.ts';
import { createMeter, type Meter } from '../sound/meter.ts';
import { createDecoder, pickChannels, type SoundFormat } from '../sound/sample-format.ts';
import { createSoundWatch } from '../sound/sound-watch.ts';
import type { Also } from './also.ts';
import { type MeasuringOptions, unreachableRange } from './measuring-options.ts';

/** Points, and the points of the second level, if one is requested. */
export interface Measured {
  readonly points: MeasuredPoint[];
  readonly also: MeasuredPoint[];
}

export interface Measuring {
  /** Returns the points of the windows that this piece of sound completes. */
  push(piece: Uint8Array): Measured;
  /** Ends the input. Returns the point of the last window if it is at least half full. */
  finish(): Measured;
}

/**
 * @param say prints a line for the user
 * @returns `watch`, which counts faults of the sound, and `begin`. `begin` takes a recording's canonical start, or a
 * clock (ms since 1970) for live sound. It throws BadInput if the interval is too short to hold a sample
 * @throws BadInput if the sound lacks the channel
 */
export function createMeasuring(
  options: MeasuringOptions & { readonly also?: Also | undefined },
  { rateHz, format, channels }: SoundFormat,
  say: (line: string) => void,
) {
  const picked = pickChannels(options.channel, channels);
  const unweighed = unweighedBands(options.weighting, rateHz);
  if (unweighed) say(unweighed);
  const unreachable = unreachableRange(options);
  if (unreachable) say(unreachable);
  const { referenceDb, calibrationDb = 0, also } = options;
  const shiftDb = referenceDb === undefined ? 0 : calibrationDb - referenceDb;
  const watching = { ...options, shiftDb, rateHz, format };
  const watch = createSoundWatch({ ...watching, warn: say });
  const measuring = { ...options, shiftDb, rateHz, format, channels: picked.length, watch };
  const quiet = () => {}; // the first meter already reports faults of the sound
  const second = also && {
    ...measuring,
    timeWeighting: also,
    watch: createSoundWatch({ ...watching, warn: quiet }),
  };
  return {
    watch,
    begin(start: string | (() => number)): Measuring {
      const decode = createDecoder(format, channels, picked);
      if (typeof start === 'string')
        return together(
          decode,
          createMeter({ ...measuring, start }),
          second && createMeter({ ...second, start }),
        );
      let now = 0;
      const clock = () => now;
      const tick = () => {
        now = start();
      };
      const live = createLiveMeter(measuring, clock, say);
      return together(decode, live, second && createLiveMeter(second, clock, quiet), tick);
    },
  };
}

/** @param tick called once per piece, so that both meters get the same time */
function together(
  decode: ReturnType<typeof createDecoder>,
  one: Meter,
  other: Meter | undefined,
  tick = () => {},
): Measuring {
  /** Calls both meters, even if the first one throws. */
  function both(points: (meter: Meter) => MeasuredPoint[]): Measured {
    tick();
    const measured: { points: MeasuredPoint[]; also: MeasuredPoint[] } = { points: [], also: [] };
    try {
      measured.points = points(one);
    } finally {
      if (other) measured.also = points(other);
    }
    return measured;
  }
  return {
    push(piece) {
      const sound = decode(piece);
      return both((meter) => meter.push(sound));
    },
    finish: () => both((meter) => meter.finish()),
  };
}
