// Points as a stream tells them apart: by all that they hold. Equal ones are counted.
import { hash } from 'node:crypto';
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import { nextRow, ROW_HEAD } from '../db/binary-rows.ts';

/** A point, in binary (db/rows.ts). */
export interface Row {
  readonly bytes: Buffer;
  /** In microseconds since 1970. */
  readonly time: bigint;
  readonly hash: bigint;
}

/** PostgreSQL counts from 2000. */
const EPOCH_2000 = 946_684_800_000_000n;
/** The time is the first column: behind the head are how many there are, and its length. */
const TIME = ROW_HEAD + 6;

export function* rowsOf(rows: Buffer): Generator<Buffer> {
  for (let at = 0; at < rows.length; ) {
    const end = nextRow(rows, at);
    yield rows.subarray(at, end);
    at = end;
  }
}

export function rowOf(bytes: Buffer): Row {
  return { bytes, time: bytes.readBigInt64BE(TIME) + EPOCH_2000, hash: hashOf(bytes) };
}

function hashOf(bytes: Buffer): bigint {
  return hash('sha256', bytes, 'buffer').readBigUInt64BE();
}

/** How many points some are, and a hash that does not depend on their order. */
export interface Tally {
  count: number;
  hash: bigint;
}

export function tallyOf(rows: Iterable<Row>): Tally {
  const tally = { count: 0, hash: 0n };
  for (const row of rows) add(tally, row);
  return tally;
}

export function add(tally: Tally, row: Row): void {
  tally.count++;
  tally.hash = BigInt.asUintN(64, tally.hash + row.hash);
}

export function remove(tally: Tally, row: Row): void {
  tally.count--;
  tally.hash = BigInt.asUintN(64, tally.hash - row.hash);
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
