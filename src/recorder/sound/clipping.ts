// Tells whether a window is clipped.
import type { FullScale } from '../sources/sample-format.ts';

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
