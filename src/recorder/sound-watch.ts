// Watches the windows of sound for what spoils their levels: clipping, and a DC offset.
import type { Sound } from './channel-choice.ts';
import { createClippingWatch } from './clipping.ts';
import { createOffsetWatch } from './dc-offset.ts';
import type { Weighting } from './frequency-weighting.ts';
import { lengthOf } from './mixed-window.ts';
import { fullScaleOf, type SampleFormat } from './sample-format.ts';
import type { SampleSums } from './sample-sums.ts';

interface WatchOptions {
  readonly rateHz: number;
  readonly format: SampleFormat;
  readonly silenceDb: number;
  readonly shiftDb?: number;
  readonly weighting?: Weighting;
  /** Shows a line to the user. */
  warn(line: string): void;
  /** Milliseconds that only go forward. */
  now?(): number;
}

export interface SoundWatch {
  /** @param sums of each channel of the window */
  add(window: Sound, sums: readonly SampleSums[]): void;
  /** How many windows are clipped, such as `12 of 3,000 windows`; undefined where none is. */
  clipped(): string | undefined;
  /** Ends one stretch of sound; another may follow. */
  end(): void;
}

export function createSoundWatch(options: WatchOptions): SoundWatch {
  const { format, warn, now = () => performance.now(), weighting = 'Z', shiftDb = 0 } = options;
  const clipping = createClippingWatch(fullScaleOf(format), warn, now);
  const offset = createOffsetWatch({ ...options, weighting, shiftDb });
  return {
    add(window, sums) {
      clipping.add(window, sums);
      offset.add(sums, lengthOf(window));
    },
    clipped: clipping.clipped,
    end: offset.end,
  };
}
