// Computes the power of windows: the mean square of their samples, with frequency and time weighting if requested.
import { createFrequencyWeighting, type Weighting } from './frequency-weighting.ts';
import { type ChannelChoice, mixPowers, type Sound } from './sample-format.ts';

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

export const lengthOf = (sound: Sound): number => sound[0]?.length ?? 0;

/** The mean square of the samples: of the loudest channel, or the mean over all. */
export function powerOf(choice: ChannelChoice, window: Sound, sums: readonly SampleSums[]): number {
  const powers = sums.map(({ energy }) => energy / lengthOf(window));
  return mixPowers(choice, powers);
}

/** The channel with the most energy, or the first of several. */
export function loudestOf(window: Sound, sums: readonly SampleSums[]): Float32Array {
  const energies = sums.map(({ energy }) => energy);
  return window[energies.indexOf(Math.max(...energies))] ?? new Float32Array(0);
}

export interface PowerOptions {
  rateHz: number;
  channels?: number;
  /** How to combine several channels; by default their mean. */
  channel?: ChannelChoice;
  /** By default Z, unweighted. */
  weighting?: Weighting;
  /** Undefined for the mean square of each window. */
  timeWeighting?: TimeWeighting | undefined;
}

export const dbOf = (power: number): number => 10 * Math.log10(power);

const PRIMING_SECONDS = 0.1;

/** Takes windows in order, after `prime`; each channel has its own filters. @returns undefined without a weighting */
export function createWindowPower({
  rateHz,
  channels = 1,
  channel = 'mean',
  weighting = 'Z',
  timeWeighting,
}: PowerOptions) {
  if (weighting === 'Z' && timeWeighting === undefined) return undefined;
  const filters = Array.from({ length: channels }, () => createFrequencyWeighting(weighting, rateHz));
  let followers: ((sample: number) => number)[] | undefined;

  function primed(weigh: Weigh, beginning: Float32Array): number {
    const backwards = beginning.toReversed(); // so that no step lies between the passes
    meanPower(weigh, backwards);
    const power = meanPower(weigh, beginning);
    meanPower(weigh, backwards);
    return power;
  }

  /** The channels' combined power at its highest moment. */
  function highestPower(window: Sound, follow: readonly Weigh[]): number {
    const moments = new Float64Array(lengthOf(window));
    for (const [c, weigh] of filters.entries()) {
      const [samples = [], followed = weigh] = [window[c], follow[c]];
      for (let i = 0; i < moments.length; i++) {
        const power = followed(weigh(samples[i] ?? 0));
        const before = moments[i] ?? 0;
        moments[i] = channel === 'max' ? Math.max(before, power) : before + power / channels;
      }
    }
    return moments.reduce((highest, power) => Math.max(highest, power), 0);
  }

  return {
    /** How many samples are enough to prime with. */
    primingLength: Math.ceil(PRIMING_SECONDS * rateHz),
    /**
     * Sets the filters as if earlier sound had been like the beginning. From rest, a DC offset of -20 dB would read
     * -39 dB in the first 10 ms with A-weighting, and a steady tone would read too low for seconds.
     */
    prime(beginning: Sound): void {
      const powers = beginning.map((samples, c) => primed(filters[c] ?? none, samples));
      if (timeWeighting) followers = powers.map((power) => createTimeWeighting(timeWeighting, rateHz, power));
    },
    /** Relative to a full-scale square wave: the mean of all channels, or the highest. */
    powerOf(window: Sound): number {
      if (followers) return highestPower(window, followers);
      return mixPowers(
        channel,
        window.map((samples, c) => meanPower(filters[c] ?? none, samples)),
      );
    },
  };
}

type Weigh = (sample: number) => number;
const none: Weigh = (sample) => sample;

function meanPower(weigh: Weigh, samples: Float32Array): number {
  let energy = 0;
  for (let i = 0; i < samples.length; i++) energy += weigh(samples[i] ?? 0) ** 2;
  return energy / samples.length;
}

/** Time constants in seconds. */
const SECONDS = { fast: 0.125, slow: 1 };
/** Smaller powers (-600 dB) count as zero, because denormal numbers are slow. */
const NOTHING = 1e-60;

export type TimeWeighting = keyof typeof SECONDS;
/** The time weightings F and S of IEC 61672-1:2013, 5.8. */
export const TIME_WEIGHTINGS: readonly TimeWeighting[] = ['fast', 'slow'];

/** @param power the initial mean square. @returns a function from each sample to the weighted mean square so far */
export function createTimeWeighting(name: TimeWeighting, rateHz: number, power: number) {
  const share = -Math.expm1(-1 / (rateHz * SECONDS[name]));
  let weighted = power;
  return (sample: number): number => {
    const exact = weighted + share * (sample ** 2 - weighted);
    weighted = exact < NOTHING ? 0 : exact;
    return weighted;
  };
}
