// A window of several channels as one: its power, and the channel that is loudest.
import { type ChannelChoice, mixPowers, type Sound } from './channel-choice.ts';
import type { SampleSums } from './sample-sums.ts';

/** How many samples each channel has. */
export function lengthOf(sound: Sound): number {
  return sound[0]?.length ?? 0;
}

/** The mean square of the samples: that of the loudest channel, or the mean of all. */
export function powerOf(choice: ChannelChoice, window: Sound, sums: readonly SampleSums[]): number {
  const powers = sums.map(({ energy }) => energy / lengthOf(window));
  return mixPowers(choice, powers);
}

/** The channel with the most energy; of equal ones the first. */
export function loudestOf(window: Sound, sums: readonly SampleSums[]): Float32Array {
  const energies = sums.map(({ energy }) => energy);
  return window[energies.indexOf(Math.max(...energies))] ?? new Float32Array(0);
}
