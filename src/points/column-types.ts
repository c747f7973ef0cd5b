// The types of the columns of points, and how their values lie in the rows that the database sends.
import { COLUMNS, type Column } from '../contract/point.ts';
import { ROW_HEAD } from '../db/binary-rows.ts';
import { audioData } from '../db/schema.ts';

/** By its SQL name: how many bytes a value has. */
const TYPES: Readonly<Record<string, number>> = {
  'timestamp with time zone': 8,
  real: 4,
  integer: 4,
  boolean: 1,
};
const NAMES = Object.keys(TYPES);
export const [INSTANT, REAL, INTEGER, BOOLEAN] = [0, 1, 2, 3] as const;

const nameOf = (column: Column) => audioData[column].getSQLType();

/** By the place of a column in {@link COLUMNS}. */
export const TYPE = Uint8Array.from(COLUMNS, (column) => NAMES.indexOf(nameOf(column)));
export const BYTES = Uint8Array.from(COLUMNS, (column) => TYPES[nameOf(column)] ?? 0);

/** A row begins with a head and the number of its columns; each value has its length before it, -1 for null. */
export const START_BYTES = ROW_HEAD + 2;
export const LENGTH_BYTES = 4;

export function unknownForm(): Error {
  return new Error('The rows of the points have an unknown form');
}
