// Computes the weighted power of windows: each the mean square, or the maximum of a time weighting.
import { createFrequencyWeighting, type Weighting } from './frequency-weighting.ts';
import { createTimeWeighting, type TimeWeighting } from './time-weighting.ts';

export interface WeightingOptions {
  /** Of frequencies; Z, which is none, unless given. */
  weighting?: Weighting;
  /** Undefined for the mean square of each window. */
  timeWeighting?: TimeWeighting | undefined;
}

/** For windows that follow each other, of sound that began with {@link WindowPower.prime}. */
export interface WindowPower {
  /** So many samples are enough to prime with. */
  readonly primingLength: number;
  /**
   * Brings filter and time weighting to where they would be, had the sound gone on before as it begins. From rest, a DC
   * offset of -20 dB would read -39 dB in the first 10 ms with A-weighting, and a steady tone too little for seconds.
   */
  prime(beginning: Float32Array): void;
  /** Relative to a square wave of full scale. */
  powerOf(window: Float32Array): number;
}

const PRIMING_SECONDS = 0.1;

/** @returns undefined where nothing is weighted */
export function createWindowPower(
  rateHz: number,
  { weighting = 'Z', timeWeighting }: WeightingOptions,
): WindowPower | undefined {
  if (weighting === 'Z' && timeWeighting === undefined) return undefined;
  const weigh = createFrequencyWeighting(weighting, rateHz);
  let follow: ((sample: number) => number) | undefined;

  function meanPower(samples: Float32Array): number {
    let energy = 0;
    for (let i = 0; i < samples.length; i++) energy += weigh(samples[i] ?? 0) ** 2;
    return energy / samples.length;
  }

  return {
    primingLength: Math.ceil(PRIMING_SECONDS * rateHz),
    prime(beginning) {
      const backwards = beginning.toReversed(); // so that no step lies between the passes
      meanPower(backwards);
      const power = meanPower(beginning);
      meanPower(backwards);
      if (timeWeighting) follow = createTimeWeighting(timeWeighting, rateHz, power);
    },
    powerOf(window) {
      if (!follow) return meanPower(window);
      let highest = 0;
      for (let i = 0; i < window.length; i++) {
        const power = follow(weigh(window[i] ?? 0));
        if (power > highest) highest = power;
      }
      return highest;
    },
  };
}
