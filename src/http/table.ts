// The rows of an answer as a table, for those who read CSV.
import { z } from 'zod';

/** @param output has an array of objects without others in them at `field`. @returns the names of their fields */
export function columnsOf(output: z.ZodType | undefined, field: string): string[] {
  const rows = output instanceof z.ZodObject ? output.shape[field] : undefined;
  const row = rows instanceof z.ZodArray ? rows.element : undefined;
  if (!(row instanceof z.ZodObject)) throw new TypeError(`${field} is not an array of objects`);
  return Object.keys(row.shape);
}

/** Rows as CSV (RFC 4180), with a header row; empty for null. Lines end in a line feed, as those of points do. */
export function tableText(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(Reflect.get(row, column))).join());
  return [columns.join(), ...lines, ''].join('\n');
}

function cell(value: unknown): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
