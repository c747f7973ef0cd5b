// Points as answers hold them: the rows that the database sent, which become text only on their way out.
import { sql } from 'drizzle-orm';
import { COLUMNS, type Column, type Point } from '../contract/point.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { nextRow } from '../db/rows.ts';
import { audioData } from '../db/schema.ts';
import { NEWLINE, type Parts, pointsJson, writeCsv, writeJson } from './serialise.ts';

/** Without the addition, which keeps the type, a level of 0 may be -0. */
const selected = (column: Column) =>
  column === 'rms_db' ? sql`${audioData.rms_db} + 0::real` : sql`${audioData[column]}`;

/** What to select of the points, in the order of their columns. */
export const pointFields = Object.fromEntries(
  COLUMNS.map((column) => [column, selected(column).as(column)] as const),
);

/** Some points in their order. Serialised through plain JSON they are an array of {@link Point}. */
export class Points {
  /** In binary (db/rows.ts). */
  readonly rows: Buffer;
  readonly count: number;
  readonly #written = new Map<string, Buffer | Promise<Parts>>();

  constructor(rows: Buffer) {
    this.rows = rows;
    let count = 0;
    for (let at = 0; at < rows.length; at = nextRow(rows, at)) count++;
    this.count = count;
  }

  /**
   * @returns the JSON of their array between two texts: written once for all callers who pass the same texts. That
   *   of many points has parts, written in a turn each
   */
  json(before = '', after = ''): Buffer | Promise<Parts> {
    const texts = `${before}\n${after}`; // JSON as it is written here has no line break
    const written = this.#written.get(texts);
    if (written !== undefined) return written;
    const json = pointsJson(this.rows, before, after);
    this.#written.set(texts, json);
    return json;
  }

  toJSON(): Point[] {
    return JSON.parse(`${writeJson(this.rows, '', '')}`);
  }
}

/** Runs a statement that selects {@link pointFields}. */
export async function readPoints(db: Database, statement: Statement, values: Values): Promise<Points> {
  return new Points(await db.readRows(statement, values));
}

/** A piece of a CSV file. Serialised through plain JSON it is its text. */
export class CsvPiece {
  readonly bytes: Buffer;
  readonly #headLines: number;

  /** @param head a line before its points */
  constructor(rows: Buffer, head = '') {
    this.bytes = writeCsv(rows, head);
    this.#headLines = head === '' ? 0 : 1;
  }

  /** How many points it holds: counted when asked. */
  get points(): number {
    let lines = 0;
    for (let at = this.bytes.indexOf(NEWLINE); at >= 0; at = this.bytes.indexOf(NEWLINE, at + 1)) lines++;
    return lines - this.#headLines;
  }

  toJSON(): string {
    return this.bytes.toString('latin1');
  }
}
