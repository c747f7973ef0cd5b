// Positions of a stream, which are the ids of its events: a time, and which points were sent up to it.
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import { LATE_SECONDS } from '../contract/live.ts';

/** How far behind the newest point a new one may be, in microseconds. */
export const LATE_MICROS = BigInt(LATE_SECONDS) * 1_000_000n;

/** The number of some points, and the sum of their hashes modulo 2^64, whatever their order. */
export interface Tally {
  readonly count: number;
  readonly hash: bigint;
}

/** Where a stream is: the newest time that was sent, and the tally of the points of the last seconds up to it. */
export interface Place extends Tally {
  readonly time: bigint;
}

/** @returns the id of an event, which {@link placeOf} reads */
export function idOf({ time, count, hash }: Place): string {
  return `${instantOfMicros(time)}~${count}~${hash.toString(16).padStart(16, '0')}`;
}

/** @param id as {@link idOf} writes it */
export function placeOf(id: string): Place {
  const [time = '', count, hash] = id.split('~');
  return { time: microsOf(time), count: Number(count), hash: BigInt(`0x${hash}`) };
}
