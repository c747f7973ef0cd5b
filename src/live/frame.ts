// Frames: the events of a stream, as the bytes that every listener gets. The points in a frame are JSON lines that
// PostgreSQL writes. The id of a frame is a position: a time, and a tally of the points sent up to that time.
import { hash } from 'node:crypto';
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import { LATE_SECONDS } from '../contract/live.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import { TEXT_FORMATS } from '../points/point-text.ts';

const { end, whole } = TEXT_FORMATS[JSON_TYPE];
const END = Buffer.from(end);

export interface Frame {
  readonly id: string;
  readonly bytes: Buffer;
  readonly points: number;
}

/** The frames for one listener. Ends when it is closed, or when the service stops. */
export interface EventStream extends AsyncIterable<Frame> {
  onClosed(): void;
  close(): void;
}

/** @param lines the lines of its points; `points` is their number */
export function frameOf(
  position: StreamPosition,
  lines: Buffer,
  { points, restartFrom = null, isStale }: { points: number; restartFrom?: string | null; isStale: boolean },
): Frame {
  const id = idOf(position);
  const head = `{"restart_from":${JSON.stringify(restartFrom)},"points":`;
  const text = `data: ${head}${whole(lines.toString('latin1'))},"stale":${isStale}}\nid: ${id}\n\n`;
  return { id, bytes: Buffer.from(text, 'latin1'), points };
}

/** A line begins with its time. */
const TIME = '{"time":"'.length;
const TIME_END = TIME + '2026-01-01T00:00:00.123456Z'.length;

/** @returns the canonical time of the line that begins at `at` */
export function timeOf(lines: Buffer, at = 0): string {
  return lines.toString('latin1', at + TIME, at + TIME_END);
}

/** @returns the end of the line at `at` */
export function nextLine(lines: Buffer, at: number): number {
  return lines.indexOf(END, at) + END.length;
}

/** Yields each line without copying it. */
export function* eachLine(lines: Buffer): Generator<Buffer> {
  for (let at = 0; at < lines.length; ) {
    const next = nextLine(lines, at);
    yield lines.subarray(at, next);
    at = next;
  }
}

/** @returns a hash of the line. Equal points have equal hashes */
export function hashOf(line: Buffer): bigint {
  return hash('sha256', line, 'buffer').readBigUInt64BE();
}

/** How much older than the newest point a new point may be, in microseconds. */
export const LATE_MICROS = BigInt(LATE_SECONDS) * 1_000_000n;

/** The number of points, and the sum of their hashes modulo 2^64, independent of their order. */
export interface Tally {
  readonly count: number;
  readonly hash: bigint;
}

/** The position of a stream: the newest time sent, and the tally of the points of the last seconds up to that time. */
export interface StreamPosition extends Tally {
  readonly time: bigint;
}

/** @returns the id of an event. {@link positionOf} parses it */
export function idOf({ time, count, hash }: StreamPosition): string {
  return `${instantOfMicros(time)}~${count}~${hash.toString(16).padStart(16, '0')}`;
}

/** @param id as {@link idOf} writes it */
export function positionOf(id: string): StreamPosition {
  const [time = '', count, hash] = id.split('~');
  return { time: microsOf(time), count: Number(count), hash: BigInt(`0x${hash}`) };
}
