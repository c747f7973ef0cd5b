// Watches the windows of sound for what spoils their levels: clipping, a DC offset, and levels beyond the reference.

import { createCountedWarning } from '../counted-warning.ts';
import { fullScaleOf, type SampleFormat } from '../sources/sample-format.ts';
import type { ChannelChoice, Sound } from './channel-choice.ts';
import { isClipped } from './clipping.ts';
import { createOffsetWatch } from './dc-offset.ts';
import type { Weighting } from './frequency-weighting.ts';
import { lengthOf, type SampleSums } from './window-power.ts';

interface WatchOptions {
  readonly rateHz: number;
  readonly format: SampleFormat;
  readonly silenceDb: number;
  readonly channel?: ChannelChoice;
  readonly shiftDb?: number;
  readonly referenceDb?: number | undefined;
  readonly weighting?: Weighting;
  /** Shows a line to the user. */
  warn(line: string): void;
  /** Milliseconds that only go forward. */
  now?(): number;
}

export interface SoundWatch {
  /** @param sums of each channel of the window */
  add(window: Sound, sums: readonly SampleSums[]): void;
  /** @param db as it would be stored, were there no ceiling */
  addLevel(db: number): void;
  /** How many windows are clipped, such as `12 of 3,000 windows`; undefined where none is. */
  clipped(): string | undefined;
  /** Ends one stretch of sound; another may follow. */
  end(): void;
}

const CLIPPED =
  'the sound is clipped: samples stay at full scale, and the true level is higher. Record with less gain.';

export function createSoundWatch(options: WatchOptions): SoundWatch {
  const { format, warn, now = () => performance.now(), weighting = 'Z', shiftDb = 0, referenceDb } = options;
  const fullScale = fullScaleOf(format);
  const clipping = createCountedWarning(CLIPPED, 'clipped', warn, now);
  const loud = `the sound is louder than the reference of ${referenceDb} dB: it is stored as that, and the true level is higher. Choose a higher --reference-db.`;
  const beyond = createCountedWarning(loud, 'louder than the reference', warn, now);
  const offset = createOffsetWatch({ ...options, weighting, shiftDb });
  return {
    add(window, sums) {
      const isAt = (c: number) => (sums[c]?.peak ?? 0) >= fullScale.highest;
      clipping.add(window.some((samples, c) => isAt(c) && isClipped(samples, fullScale)));
      offset.add(sums, lengthOf(window));
    },
    addLevel: (db) => beyond.add(referenceDb !== undefined && db > 0),
    clipped: clipping.counted,
    end: offset.end,
  };
}
