// Answers as text: JSON, or their rows as CSV. Points are already text from the database.
import { z } from 'zod';
import { CSV_TYPE } from '../contract/media-types.ts';
import type { Route } from '../operations/internals/routes.ts';
import { Points } from '../points/points.ts';

/** @returns a function that writes the answers of a route: JSON with points last, or the rows of a table as CSV */
export function createAnswerWriter({ rows, output }: Route) {
  const columns = rows === undefined ? [] : columnsOf(output, rows);
  return (answer: object, type: string): string => {
    if (rows !== undefined && type === CSV_TYPE) return tableText(columns, Reflect.get(answer, rows));
    if (!('points' in answer && answer.points instanceof Points)) return JSON.stringify(answer);
    const { points, ...others } = answer;
    const text = JSON.stringify(others).slice(0, -1);
    return `${text}${text === '{' ? '' : ','}"points":${points.text}}`;
  };
}

/** @param output has an array of flat objects at `field`. @returns the names of their fields */
export function columnsOf(output: z.ZodType, field: string): string[] {
  const rows = output instanceof z.ZodObject ? output.shape[field] : undefined;
  const row = rows instanceof z.ZodArray ? rows.element : undefined;
  if (!(row instanceof z.ZodObject)) throw new TypeError(`${field} is not an array of objects`);
  return Object.keys(row.shape);
}

/** Rows as CSV (RFC 4180), with a header row. Null is an empty field. Lines end in a line feed, as point lines do. */
export function tableText(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(Reflect.get(row, column))).join());
  return [columns.join(), ...lines, ''].join('\n');
}

function cell(value: unknown): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
