// A segment: points that wait for the database, as rows of CSV in one file, whose name says how many.

export interface Segment {
  /** Sorts by when it was written, to the millisecond between two writers. No two segments have the same. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
  readonly points: number;
  /** How long a time they cover, of a live recorder; 0 for points that no newer ones may push out. */
  readonly coversMs: number;
  /** Whether it says what becomes of the points that are there (order.ts), and is carried out alone. */
  readonly isOrder: boolean;
}

/** Microseconds since 1970, a random number, how many points there are, and what they cover. */
const NAME = /^(\d{16})-[0-9a-f]{8}-(?:([1-9]\d{0,11})-(\d{1,12})|(\d{1,12})-order)\.csv$/;

/** @param micros since 1970 */
export function segmentName(micros: number, points: number, coversMs: number): string {
  const random = crypto.randomUUID().slice(0, 8);
  return `${String(micros).padStart(16, '0')}-${random}-${points}-${coversMs}.csv`;
}

/** The same, of an order. */
export function orderName(micros: number, points: number): string {
  return segmentName(micros, points, 0).replace(/-0\.csv$/, '-order.csv');
}

/** @returns undefined for the name of anything else */
export function readSegmentName(name: string): Segment | undefined {
  const [, micros, points, coversMs = 0, ofOrder] = NAME.exec(name) ?? [];
  if (micros === undefined) return undefined;
  return {
    name,
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
