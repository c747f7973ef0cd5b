// The rows of an answer as a table, for those who read CSV.
import { z } from 'zod';

/** Which field of an answer holds its rows, and their fields. */
export interface Table {
  readonly field: string;
  readonly columns: readonly string[];
}

/**
 * @param output what the answer is as JSON
 * @param field holds an array of objects without others in them
 */
export function tableOf(output: z.ZodType, field: string): Table {
  const rows = output instanceof z.ZodObject ? output.shape[field] : undefined;
  const row = rows instanceof z.ZodArray ? rows.element : undefined;
  if (!(row instanceof z.ZodObject)) throw new TypeError(`${field} is not an array of objects`);
  return { field, columns: Object.keys(row.shape) };
}

/**
 * The rows as CSV (RFC 4180), with a header row; empty for null. Lines end in a line feed, as those of points do.
 *
 * @param answer as JSON
 */
export function tableText({ field, columns }: Table, answer: object): string {
  const rows: unknown = Reflect.get(answer, field);
  if (!Array.isArray(rows)) throw new TypeError(`${field} of the answer is not an array`);
  const lines = rows.map((row: object) => columns.map((column) => cell(Reflect.get(row, column))).join());
  return [columns.join(), ...lines, ''].join('\n');
}

function cell(value: unknown): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
