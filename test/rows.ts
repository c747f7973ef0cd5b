// Rows of points: in binary, as PostgreSQL sends them, and as CSV.
import type { Point } from '../src/contract/point.ts';
import { ROW_LETTER } from '../src/db/binary-rows.ts';

/** A row of any values, each as its bytes. */
export function rowOf(...values: (Buffer | null)[]): Buffer {
  const columns = values.flatMap((value) => (value ? [int32(value.length), value] : [int32(-1)]));
  const body = Buffer.concat([Buffer.from([0, values.length]), ...columns]);
  return Buffer.concat([Buffer.of(ROW_LETTER), int32(4 + body.length), body]);
}

/** The row of a point. */
export function pointRow({ time, rms_db, frequency_hz, is_silence }: Point): Buffer {
  return rowOf(
    instant(time),
    rms_db === null ? null : real(rms_db),
    frequency_hz === null ? null : int32(frequency_hz),
    Buffer.of(is_silence ? 1 : 0),
  );
}

/** So many rows, one as the other. */
export function repeated(row: Buffer, count: number): Buffer {
  return Buffer.alloc(row.length * count, row);
}

export function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
}

export function real(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(number);
  return bytes;
}

/** @param time in the canonical form: six digits of a second, UTC */
export function instant(time: string): Buffer {
  const millis = Date.parse(`${time.slice(0, 23)}Z`) - Date.UTC(2000, 0);
  return int64(BigInt(millis) * 1000n + BigInt(time.slice(23, 26)));
}

export function int64(number: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(number);
  return bytes;
}

/** A point as it is made where what it says does not matter, and its row. */
export const POINT: Point = {
  time: '2026-01-01T00:00:00.000000Z',
  rms_db: -1.5,
  frequency_hz: 440,
  is_silence: false,
};
export const ROW = pointRow(POINT);

/** What a query of points gives for so many of them, as JSON. */
export const linesOf = (count: number) => ({ lines: `${JSON.stringify(POINT)},`.repeat(count), count });

/** So many rows of CSV, a microsecond apart. */
export async function* csvRows(count: number): AsyncGenerator<string> {
  for (let n = 0; n < count; n++)
    yield `2026-01-01T00:00:00.${String(n % 1e6).padStart(6, '0')}Z,-1.5,440,false\n`;
}
