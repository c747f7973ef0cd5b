// When each window begins: exact microseconds after the start, however long the recording.
import { addSeconds } from '../contract/instant.ts';
import { BadInput } from './bad-input.ts';

/** Gives the canonical instant of the k-th window's beginning. */
export type Timeline = (k: number) => string;

/**
 * @param start canonical
 * @throws BadInput (the timeline) for a window after the year 9999
 */
export function createTimeline(start: string, intervalMs: number): Timeline {
  const startMicros = Number(start.slice(20, 26));
  return (k) => {
    const micros = startMicros + k * intervalMs * 1000;
    const seconds = Math.floor(micros / 1_000_000);
    const instant = addSeconds(start, seconds);
    if (instant === undefined)
      throw new BadInput(`the sound from ${start} on would reach past the year 9999, which cannot be stored`);
    return `${instant.slice(0, 20)}${String(micros - seconds * 1_000_000).padStart(6, '0')}Z`;
  };
}
