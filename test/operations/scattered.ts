// Points as real tables have them: dense here, years apart there, in the future, in the year 0001.
import fc from 'fast-check';
import { instantOf } from '../../src/contract/instant.ts';
import type { Point } from '../../src/contract/point.ts';
import type { TestDatabase } from '../engines.ts';
import { insertPoints, NOW } from '../service.ts';

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const YEAR = 365 * DAY;

const time = fc
  .oneof(
    fc.integer({ min: -20, max: 20 }).map((n) => Date.parse(NOW) + n * SECOND),
    fc.integer({ min: -40, max: 2 }).map((n) => Date.parse(NOW) + n * DAY),
    fc.integer({ min: -3, max: 3 }).map((n) => Date.parse(NOW) + n * YEAR),
    fc.constantFrom(Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')),
  )
  .map(instantOf);

/** Points with some hundred different times. */
export const scatteredPoints: fc.Arbitrary<Point[]> = fc.array(
  fc.record({
    time,
    rms_db: fc.constantFrom(null, -5, -10, -20, -40),
    frequency_hz: fc.constantFrom(null, 100, 200),
    is_silence: fc.boolean(),
  }),
  { maxLength: 40 },
);

/** A time for the clock: near the points, or far from all of them. */
export const someClock = fc.oneof(time, fc.constantFrom(NOW, '1970-01-01T00:00:00.000000Z'));

/** Replaces the points of the table. With `columnstore`, chunks before NOW move there. */
export async function store(database: TestDatabase, points: readonly Point[], columnstore: boolean) {
  await database.sql('truncate audio_data');
  if (points.length === 0) return;
  await database.sql(
    insertPoints(points.map((p) => [p.time, p.rms_db, p.frequency_hz, p.is_silence] as const)),
  );
  if (columnstore)
    await database.sql(
      `select compress_chunk(chunk) from show_chunks('audio_data', older_than => timestamptz '${NOW}') chunk`,
    );
}

/** Newest first; equal times in the order of the pages. */
export function newestFirst(points: readonly Point[]): Point[] {
  const nullsLast = (a: number | null, b: number | null) => (a ?? Infinity) - (b ?? Infinity) || 0;
  return points.toSorted(
    (a, b) =>
      b.time.localeCompare(a.time) ||
      nullsLast(a.rms_db, b.rms_db) ||
      nullsLast(a.frequency_hz, b.frequency_hz) ||
      Number(a.is_silence) - Number(b.is_silence),
  );
}
