// Positions of a stream, which are the ids of its events: a time, and which points were sent up to it.
import { hash } from 'node:crypto';
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import { LATE_SECONDS } from '../contract/live.ts';
import { ROW_HEAD } from '../db/binary-rows.ts';

/** How far behind the newest point a new one may be, in microseconds. */
export const LATE_MICROS = BigInt(LATE_SECONDS) * 1_000_000n;

/** PostgreSQL counts from 2000. */
const EPOCH_2000 = 946_684_800_000_000n;
/** The time is the first column: after the head come the number of columns and its length. */
const TIME = ROW_HEAD + 6;

/** @returns the time of the row that begins at `at`, in microseconds since 1970 */
export function timeOf(rows: Buffer, at = 0): bigint {
  return rows.readBigInt64BE(at + TIME) + EPOCH_2000;
}

/** @param row a point in binary: equal points have one hash */
export function hashOf(row: Buffer): bigint {
  return hash('sha256', row, 'buffer').readBigUInt64BE();
}

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
