// Chooses the channels to measure, and how to combine several.
import { BadInput } from '../commands/bad-input.ts';

/** A channel, counted from 1; the mean of all energies; or the loudest channel in each window. */
export type ChannelChoice = number | 'mean' | 'max';

/** The samples of each channel, -1..1 at full scale, equally many per channel. */
export type Sound = readonly Float32Array[];

/** The form of a channel as text. */
export const CHANNEL = {
  allowed: 'a channel from 1 to 64, mean or max',
  parse(text: string): ChannelChoice | undefined {
    if (text === 'mean' || text === 'max') return text;
    const channel = /^\d{1,2}$/.test(text) ? Number(text) : 0;
    return channel >= 1 && channel <= 64 ? channel : undefined;
  },
};

/** @returns the fault, if the sound lacks the chosen channel */
export function channelFault(choice: ChannelChoice, channels: number): string | undefined {
  if (typeof choice !== 'number' || choice <= channels) return undefined;
  return channels === 1
    ? `"${choice}" is not allowed; the sound has one channel, so it must be 1, mean or max`
    : `"${choice}" is not allowed; the sound has ${channels} channels, so it must be 1 to ${channels}, mean or max`;
}

/**
 * @returns the channels to measure, counted from 0
 * @throws BadInput if the sound lacks the channel
 */
export function pickChannels(choice: ChannelChoice, channels: number): readonly number[] {
  const fault = channelFault(choice, channels);
  if (fault) throw new BadInput(`--channel: ${fault}`);
  return typeof choice === 'number' ? [choice - 1] : Array.from({ length: channels }, (_, c) => c);
}

/** The highest power with `max`, otherwise the mean. */
export function mixPowers(choice: ChannelChoice, powers: readonly number[]): number {
  if (choice === 'max') return Math.max(...powers);
  return powers.reduce((sum, power) => sum + power, 0) / powers.length;
}
