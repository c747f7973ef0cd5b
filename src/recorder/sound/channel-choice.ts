// Which channels of sound are measured, and what is made of several.
import { BadInput } from '../bad-input.ts';

/** A channel, counted from 1; the mean of the energies of all; or in each window the loudest. */
export type ChannelChoice = number | 'mean' | 'max';

/** Samples of each channel, -1..1 at full scale, all equally many. */
export type Sound = readonly Float32Array[];

export const CHANNEL_ALLOWED = 'a channel from 1 to 64, mean or max';

export function parseChannel(text: string): ChannelChoice | undefined {
  if (text === 'mean' || text === 'max') return text;
  const channel = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return channel >= 1 && channel <= 64 ? channel : undefined;
}

/** @returns what is wrong with a choice of a channel that the sound does not have */
export function channelFault(choice: ChannelChoice, channels: number): string | undefined {
  if (typeof choice !== 'number' || choice <= channels) return undefined;
  return channels === 1
    ? `"${choice}" is not allowed; the sound has one channel, so it must be 1, mean or max`
    : `"${choice}" is not allowed; the sound has ${channels} channels, so it must be 1 to ${channels}, mean or max`;
}

/**
 * @returns the channels to measure, counted from 0
 * @throws BadInput where the sound does not have the channel
 */
export function pickChannels(choice: ChannelChoice, channels: number): readonly number[] {
  const fault = channelFault(choice, channels);
  if (fault) throw new BadInput(`--channel: ${fault}`);
  return typeof choice === 'number' ? [choice - 1] : Array.from({ length: channels }, (_, c) => c);
}

/** The power of several channels as one: the highest with `max`, else the mean of the energies. */
export function mixPowers(choice: ChannelChoice, powers: readonly number[]): number {
  if (choice === 'max') return Math.max(...powers);
  return powers.reduce((sum, power) => sum + power, 0) / powers.length;
}
