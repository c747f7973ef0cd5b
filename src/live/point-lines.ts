// The points of a stream: the lines that PostgreSQL writes for JSON, as bytes.
import { hash } from 'node:crypto';
import { JSON_TYPE } from '../contract/media-types.ts';
import { TEXT_FORMATS } from '../points/point-text.ts';

const { end, whole } = TEXT_FORMATS[JSON_TYPE];
const END = Buffer.from(end);

/** A line begins with its time. */
const TIME = '{"time":"'.length;
const TIME_END = TIME + '2026-01-01T00:00:00.123456Z'.length;

/** @returns the canonical time of the line that begins at `at` */
export function timeOf(lines: Buffer, at = 0): string {
  return lines.toString('latin1', at + TIME, at + TIME_END);
}

/** @returns where the line at `at` ends */
export function nextLine(lines: Buffer, at: number): number {
  return lines.indexOf(END, at) + END.length;
}

/** The lines one after another, none of them copied. */
export function* eachLine(lines: Buffer): Generator<Buffer> {
  for (let at = 0; at < lines.length; ) {
    const next = nextLine(lines, at);
    yield lines.subarray(at, next);
    at = next;
  }
}

/** @returns a number for each line: equal points have one */
export function hashOf(line: Buffer): bigint {
  return hash('sha256', line, 'buffer').readBigUInt64BE();
}

/** The JSON of an array of their points. */
export function arrayOf(lines: Buffer): string {
  return whole(lines.toString('latin1'));
}
