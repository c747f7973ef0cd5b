// Finds the values in rows, column by column, so that each column is then encoded in a loop of its own.
import { COLUMNS } from '../../contract/point.ts';
import { nextRow } from '../../db/binary-rows.ts';
import { BYTES, LENGTH_BYTES, START_BYTES, unknownForm } from '../column-types.ts';

/** The place of a null. */
export const NULL = -1;

/**
 * @param start where the first row begins
 * @param most how many rows to look at
 * @param places filled: where the values of each column begin, or {@link NULL}
 * @returns how many rows that were, and where the last ends
 */
export function findPlaces(rows: Buffer, start: number, most: number, places: readonly Int32Array[]) {
  const row = new DataView(rows.buffer, rows.byteOffset, rows.length);
  let at = start;
  let count = 0;
  for (; at < rows.length && count < most; count++) {
    const end = nextRow(rows, at);
    if (end > rows.length) throw unknownForm();
    at += START_BYTES;
    for (let column = 0; column < COLUMNS.length; column++) {
      const length = at + LENGTH_BYTES <= end ? row.getInt32(at) : 0;
      at += LENGTH_BYTES;
      const its = places[column];
      if (!its || (length !== NULL && (length !== BYTES[column] || at + length > end))) throw unknownForm();
      its[count] = length === NULL ? NULL : at;
      if (length !== NULL) at += length;
    }
    if (at !== end) throw unknownForm();
  }
  return { count, end: at };
}
