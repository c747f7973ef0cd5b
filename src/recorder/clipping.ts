// Tells whether a window is clipped, and says how many are: at the first, and at most once a minute.
import type { Sound } from './channel-choice.ts';
import type { FullScale } from './sample-format.ts';
import type { SampleSums } from './sample-sums.ts';

const SAY_EVERY_MS = 60_000;

/** Whether two samples or more in a row are at full scale, on one side, and the top that they make is flat. */
export function isClipped(samples: Float32Array, { highest, step }: FullScale): boolean {
  for (let from = 0; from < samples.length; from++) {
    const sign = Math.sign(samples[from] ?? 0);
    let to = from;
    while (sign * (samples[to] ?? 0) >= highest) to += 1;
    if (to - from >= 2 && isFlat(sign, samples[from - 1], samples[to], to - from, highest, step)) return true;
    if (to > from) from = to - 1;
  }
  return false;
}

/**
 * A slow tone of full scale rounds to full scale a few samples long. On either side of n of these a parabola within 1.5
 * steps has left full scale by ((n + 1) / (n - 1))² times as much at most; what was cut off leaves it faster. At
 * 8 bits a hum that is little too loud does not.
 */
function isFlat(
  sign: number,
  before: number | undefined,
  after: number | undefined,
  count: number,
  highest: number,
  step: number,
): boolean {
  if (before === undefined && after === undefined) return true;
  const drop = highest - Math.min(sign * (before ?? highest * sign), sign * (after ?? highest * sign));
  return drop > 1.5 * step * ((count + 1) / (count - 1)) ** 2;
}

export interface ClippingWatch {
  add(window: Sound, sums: readonly SampleSums[]): void;
  /** How many windows are clipped, such as `12 of 3,000 windows`; undefined where none is. */
  clipped(): string | undefined;
}

/**
 * @param warn shows a line to the user
 * @param now milliseconds that only go forward
 */
export function createClippingWatch(
  fullScale: FullScale,
  warn: (line: string) => void,
  now: () => number,
): ClippingWatch {
  let windows = 0;
  let clipped = 0;
  let said = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  const share = () => `${clipped.toLocaleString('en')} of ${windows.toLocaleString('en')}`;

  function report(): void {
    if (now() - saidAt < SAY_EVERY_MS) return;
    warn(
      said === 0
        ? 'Warning: the sound is clipped: samples stay at full scale, and the true level is higher. Record with less gain.'
        : `Warning: clipped in ${(clipped - said).toLocaleString('en')} more windows: ${share()} so far.`,
    );
    said = clipped;
    saidAt = now();
  }

  return {
    add(window, sums) {
      windows += 1;
      const isAt = (c: number) => (sums[c]?.peak ?? 0) >= fullScale.highest;
      if (!window.some((samples, c) => isAt(c) && isClipped(samples, fullScale))) return;
      clipped += 1;
      report();
    },
    clipped: () => (clipped === 0 ? undefined : `${share()} windows`),
  };
}
