// Computes when each window begins, exact to the microsecond however long the recording is.
import { addSeconds } from '../../contract/instant.ts';
import { BadInput } from '../bad-input.ts';

/**
 * @param start canonical
 * @returns a function that gives the canonical instant at which window k, counted from 0, begins. It throws BadInput
 * for a window after the year 9999.
 */
export function createTimeline(start: string, intervalMs: number) {
  const startMicros = Number(start.slice(20, 26));
  return (k: number): string => {
    const micros = startMicros + k * intervalMs * 1000;
    const seconds = Math.floor(micros / 1_000_000);
    const instant = addSeconds(start, seconds);
    if (instant === undefined)
      throw new BadInput(`the sound from ${start} on would reach past the year 9999, which cannot be stored`);
    return `${instant.slice(0, 20)}${String(micros - seconds * 1_000_000).padStart(6, '0')}Z`;
  };
}
