// Points as the database writes them: rows of CSV, and lines of JSON.
import { csvRow, type Point } from '../src/contract/point.ts';

export const pointRow = (point: Point): Buffer => Buffer.from(`${csvRow(point)}\n`);

/** This many equal rows. */
export function repeated(row: Buffer, count: number): Buffer {
  return Buffer.alloc(row.length * count, row);
}

/** A point whose contents do not matter, and its row. */
export const POINT: Point = {
  time: '2026-01-01T00:00:00.000000Z',
  rms_db: -1.5,
  frequency_hz: 440,
  is_silence: false,
};
export const ROW = pointRow(POINT);

/** A query's result with this many points, as JSON. */
export const linesOf = (count: number) => ({ lines: `${JSON.stringify(POINT)},`.repeat(count), count });

/** This many rows of CSV, a microsecond apart, in one piece. */
export async function* csvRows(count: number): AsyncGenerator<string> {
  yield Array.from(
    { length: count },
    (_, n) => `2026-01-01T00:00:00.${String(n % 1e6).padStart(6, '0')}Z,-1.5,440,false\n`,
  ).join('');
}
