// Frames: the events of a stream, which all listeners share. The points of a frame are JSON lines that PostgreSQL writes.
// The id of a frame is a position: a time, and a tally of the points sent up to that time.
import { hash } from 'node:crypto';
import { instantOfMicros, microsOf } from '../../../contract/instant.ts';
import { type Given, LINE_END, pointsOf } from '../../../points/points.ts';
import { LATE_SECONDS, type LiveEvent } from './contract.ts';

/** An event and its id. `Event` is the data: a LiveEvent whose points are text, or a StationsEvent. */
export interface Frame<Event extends object = Given<LiveEvent>> {
  readonly id: string;
  readonly event: Event;
}

export function frameOf(
  position: StreamPosition,
  lines: string,
  { count, restartFrom = null, isStale }: { count: number; restartFrom?: string | null; isStale: boolean },
): Frame {
  const points = pointsOf({ lines, count });
  return { id: idOf(position), event: { restart_from: restartFrom, points, stale: isStale } };
}

/** A line begins with its time. */
const TIME = '{"time":"'.length;
const TIME_END = TIME + '2026-01-01T00:00:00.123456Z'.length;

/** @returns the time of the line that begins at `at`, in microseconds since 1970 */
export const lineTime = (lines: string, at = 0): bigint => microsOf(lines.slice(at + TIME, at + TIME_END));

export const nextLine = (lines: string, at: number): number => lines.indexOf(LINE_END, at) + LINE_END.length;

export const hashOf = (line: string): bigint => hash('sha256', line, 'buffer').readBigUInt64BE();

/** How much older than the newest point a new point may be, in microseconds. */
export const LATE_MICROS = BigInt(LATE_SECONDS) * 1_000_000n;

/**
 * The number of points, and the sum of their hashes modulo 2^64, independent of their order. Equal counts are not
 * enough to resume: a late point may have arrived after another was deleted or replaced.
 */
export interface Tally {
  readonly count: number;
  readonly hash: bigint;
}

/** The position of a stream: the newest time sent, and the tally of the points of the last seconds up to that time. */
export interface StreamPosition extends Tally {
  readonly time: bigint;
}

/** @returns the id of an event. {@link positionOf} parses it */
export const idOf = ({ time, count, hash }: StreamPosition): string =>
  `${instantOfMicros(time)}~${count}~${hash.toString(16).padStart(16, '0')}`;

/** @param id as {@link idOf} writes it */
export function positionOf(id: string): StreamPosition {
  const [time = '', count, hash] = id.split('~');
  return { time: microsOf(time), count: Number(count), hash: BigInt(`0x${hash}`) };
}
