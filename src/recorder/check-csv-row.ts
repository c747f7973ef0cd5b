// Checks one row of a CSV file. Returns the row to store, or the wrong value and what is allowed.
import { parseAbsolute } from '../contract/instant.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { COLUMNS, type Column, HIGHEST_HZ, LOWEST_HZ } from '../contract/point.ts';

/** Allows an exponent: PostgreSQL prints the smallest levels with one, such as -1e-05. */
const DECIMAL = /^-?\d{1,20}(\.\d{1,40})?(e-\d{1,3})?$/;

/** Reads one value: returns the text to store, or undefined if the value is not allowed. */
const READ: Record<Column, (text: string) => string | undefined> = {
  time: (text) => (text.includes(' ') ? undefined : parseAbsolute(text)),
  rms_db(text) {
    if (text === '') return text;
    const db = DECIMAL.test(text) ? Number(text) : Number.NaN;
    if (!(db >= FLOOR_DB && db <= 0)) return undefined;
    return Math.fround(db) === 0 ? '0' : text; // other values stay as written, so nothing is rounded twice
  },
  frequency_hz(text) {
    if (text === '') return text;
    const hz = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
    return hz >= LOWEST_HZ && hz <= HIGHEST_HZ ? text : undefined;
  },
  is_silence: (text) => (text === 'true' || text === 'false' ? text : undefined),
};

const ALLOWED: Record<Column, string> = {
  time: 'an RFC 3339 time with a zone and at most six fractional digits, such as 2026-01-01T00:00:00.123456Z',
  rms_db: `a decimal number, ${FLOOR_DB} to 0, or empty`,
  frequency_hz: `a whole number, ${LOWEST_HZ} to ${HIGHEST_HZ}, or empty`,
  is_silence: 'true or false',
};

/** @returns the row as CSV and its canonical time; or its `fault`, and its `kind`, the same for all such rows */
export function checkCsvRow(
  fields: readonly string[],
): { row: string; time: string } | { kind: string; fault: string } {
  if (fields.length !== COLUMNS.length) {
    const allowed = `there must be ${COLUMNS.length}: ${COLUMNS.join(', ')}`;
    return { kind: 'the number of columns is wrong', fault: `has ${fields.length} columns; ${allowed}` };
  }
  let [row, time, index] = ['', '', 0];
  for (const column of COLUMNS) {
    const text = fields[index] ?? '';
    const value = READ[column](text);
    if (value === undefined) {
      const shown = text === '' ? 'is empty' : `is ${JSON.stringify(text.slice(0, 80))}`;
      const fault = `${column} ${shown}; it must be ${ALLOWED[column]}`;
      return { kind: `${column} is not allowed`, fault };
    }
    if (column === 'time') time = value;
    row = index === 0 ? value : `${row},${value}`;
    index += 1;
  }
  return { row, time };
}
