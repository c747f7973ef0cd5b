// Warns of faults that spoil levels: clipping, a DC offset, and levels beyond the reference.
import { createCountedWarning } from '../commands/progress.ts';
import { createOffsetWatch, type OffsetOptions } from './dc-offset.ts';
import { type FullScale, fullScaleOf, type SampleFormat, type Sound } from './sample-format.ts';
import { lengthOf, type SampleSums } from './window-power.ts';

interface WatchOptions extends OffsetOptions {
  readonly format: SampleFormat;
  readonly referenceDb?: number | undefined;
  /** A monotonic clock, in milliseconds. */
  now?(): number;
}

export type SoundWatch = ReturnType<typeof createSoundWatch>;

const CLIPPED =
  'the sound is clipped: samples stay at full scale, and the true level is higher. Record with less gain.';

export function createSoundWatch(options: WatchOptions) {
  const { format, warn, now = () => performance.now(), referenceDb } = options;
  const fullScale = fullScaleOf(format);
  const clipping = createCountedWarning(CLIPPED, 'clipped', warn, now);
  const loud = `the sound is louder than the reference. Its level is stored as ${referenceDb} dB, although it is higher. Choose a higher --reference-db.`;
  const beyond = createCountedWarning(loud, 'louder than the reference', warn, now);
  const offset = createOffsetWatch(options);
  return {
    /** @param sums by channel. @returns whether the window is clipped */
    add(window: Sound, sums: readonly SampleSums[]): boolean {
      const isAt = (c: number) => (sums[c]?.peak ?? 0) >= fullScale.highest;
      const found = window.some((samples, c) => isAt(c) && isClipped(samples, fullScale));
      clipping.add(found);
      offset.add(sums, lengthOf(window));
      return found;
    },
    /** @param db the level to store, before it is limited to the reference */
    addLevel: (db: number) => beyond.add(referenceDb !== undefined && db > 0),
    /** How many windows are clipped, such as `12 of 3,000 windows`; undefined if none are. */
    clipped: clipping.counted,
    end: offset.end,
  };
}

/** Whether at least two samples in a row are at full scale on one side, with a flat top. */
function isClipped(samples: Float32Array, { highest, step }: FullScale): boolean {
  for (let from = 0; from < samples.length; from++) {
    const sign = Math.sign(samples[from] ?? 0);
    let to = from;
    while (sign * (samples[to] ?? 0) >= highest) to += 1;
    if (to - from >= 2 && isFlat(samples, from, to, { highest, step })) return true;
    if (to > from) from = to - 1;
  }
  return false;
}

/**
 * The top of a slow full-scale tone, a parabola within 1.5 steps, rounds to full scale for n samples without clipping.
 * The next sample is then at most 1.5 ((n + 1) / (n - 1))² steps lower. Clipped sound drops faster. At 8 bits, this
 * misses a hum that clips only slightly.
 */
function isFlat(samples: Float32Array, from: number, to: number, { highest, step }: FullScale): boolean {
  const count = to - from;
  if (count === samples.length) return true;
  const sign = Math.sign(samples[from] ?? 0);
  const [before = sign * highest, after = sign * highest] = [samples[from - 1], samples[to]];
  const drop = highest - Math.min(sign * before, sign * after);
  return drop > 1.5 * step * ((count + 1) / (count - 1)) ** 2;
}
