// A segment: points that wait for the database, as rows of CSV in one file, whose name says how many.

export interface Segment {
  /** Sorts by when it was written, to the millisecond between two writers. No two segments have the same. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
  readonly points: number;
  /** How long a time they cover, of a live recorder; 0 for points that no newer ones may push out. */
  readonly coversMs: number;
}

/** Microseconds since 1970, a random number, how many points there are, and what they cover. */
const NAME = /^(\d{16})-[0-9a-f]{8}-([1-9]\d{0,11})-(\d{1,12})\.csv$/;

/** @param micros since 1970 */
export function segmentName(micros: number, points: number, coversMs: number): string {
  const random = crypto.randomUUID().slice(0, 8);
  return `${String(micros).padStart(16, '0')}-${random}-${points}-${coversMs}.csv`;
}

/** @returns undefined for the name of anything else */
export function readSegmentName(name: string): Segment | undefined {
  const [, micros, points, coversMs] = NAME.exec(name) ?? [];
  if (micros === undefined) return undefined;
  return { name, writtenAt: Number(micros) / 1000, points: Number(points), coversMs: Number(coversMs) };
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
