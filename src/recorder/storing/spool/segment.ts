// A segment: points that wait for the database, as rows of CSV in one file, whose name says how many.

export interface Segment {
  /** Sorts by when it was written, to the millisecond between two writers. No two segments have the same. */
  readonly name: string;
  /** The process that wrote it, and which of its segments it is: for good, and in copies of the folder. */
  readonly writer: string;
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
  readonly points: number;
  /** How long a time they cover, of a live recorder; 0 for points that no newer ones may push out. */
  readonly coversMs: number;
  /** Whether version 0.1 left it (old-orders.ts): then it is carried out alone. */
  readonly isOrder: boolean;
}

/** Microseconds since 1970, the writer and its number, how many points there are, and what they cover. */
const NAME = /^(\d{16})-([0-9a-f]{16})\.(\d{1,15})-(?:([1-9]\d{0,11})-(\d{1,12})|(\d{1,12})-order)\.csv$/;

/** The beginning of the names that version 0.1 gave, which do not tell the writer. */
export const OLD_NAME = /^(\d{16})-[0-9a-f]{8}(?=-\d+-(\d+|order)\.csv$)/;

/** @returns what gives the beginning of each name of a new writer */
export function createNaming(): () => string {
  const writer = crypto.randomUUID().replaceAll('-', '').slice(-16);
  let [micros, number] = [0, 0];
  return () => {
    micros = Math.max(micros + 1, Date.now() * 1000);
    number += 1;
    return `${String(micros).padStart(16, '0')}-${writer}.${number}`;
  };
}

/** @returns undefined for the name of anything else */
export function readSegmentName(name: string): Segment | undefined {
  const [, micros, writer = '', number, points, coversMs = 0, ofOrder] = NAME.exec(name) ?? [];
  if (micros === undefined) return undefined;
  return {
    name,
    writer,
    number: Number(number),
    writtenAt: Number(micros) / 1000,
    points: Number(ofOrder ?? points),
    coversMs: Number(coversMs),
    isOrder: ofOrder !== undefined,
  };
}

/** A segment that can never be stored, and why. */
export class BadSegment extends Error {
  readonly segment: Segment;

  constructor(segment: Segment, reason: string) {
    super(reason);
    this.name = 'BadSegment';
    this.segment = segment;
  }
}
