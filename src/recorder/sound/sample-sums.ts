// Sums up the samples of one channel of a window, in one pass.

export interface SampleSums {
  /** The sum of the squares. */
  readonly energy: number;
  readonly sum: number;
  /** The largest magnitude. */
  readonly peak: number;
}

export function sumsOf(samples: Float32Array): SampleSums {
  let energy = 0;
  let sum = 0;
  let highest = 0;
  let lowest = 0;
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] ?? 0;
    energy += sample * sample;
    sum += sample;
    if (sample > highest) highest = sample;
    else if (sample < lowest) lowest = sample;
  }
  return { energy, sum, peak: Math.max(highest, -lowest) };
}
