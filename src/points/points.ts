// Points as answers hold them: the rows that the database sent. They become text only as they are sent.
import { CSV_TYPE, type LinesType } from '../contract/media-types.ts';
import { COLUMNS, type Column, type Point } from '../contract/point.ts';
import { countRows } from '../db/binary-rows.ts';
import { parameter } from '../db/compile.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { QueryBuilder, type SQL, sql } from '../db/drizzle.ts';
import { audioData } from '../db/schema.ts';
import { type Parts, pointsJson, pointsLines, writeJson, writeLines } from './serialise.ts';

/** The addition makes 0 of a level of -0, and keeps the type. */
const selected = (column: Column) =>
  column === 'rms_db' ? sql`${audioData.rms_db} + 0::real` : sql`${audioData[column]}`;

/** What to select of the points, in the order of their columns. */
export const pointFields = Object.fromEntries(
  COLUMNS.map((column) => [column, selected(column).as(column)] as const),
);

export const selectPoints = () => new QueryBuilder().select(pointFields).from(audioData);

/**
 * Selects the points that meet a condition, or all, oldest first. Ordered by all columns, so that equal points alone
 * may change places; by time first, in which the index and the columnstore have them: in one order TimescaleDB sorts
 * all rows before it gives the first.
 */
export function selectInOrder(condition?: SQL) {
  const byTime = new QueryBuilder().select().from(audioData).where(condition).orderBy(audioData.time);
  return new QueryBuilder()
    .select(pointFields)
    .from(sql`(${byTime} offset 0) as ${audioData}`)
    .orderBy(...COLUMNS.map((column) => audioData[column]));
}

/** For a statement with the parameters `from` and `to`. */
export const inInterval = sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}`;

/** Some points in their order. Serialised through plain JSON they are an array of {@link Point}. */
export class Points {
  /** In binary (db/binary-rows.ts). */
  readonly rows: Buffer;
  readonly count: number;
  readonly #written = new Map<string, Buffer | Promise<Parts>>();

  constructor(rows: Buffer) {
    this.rows = rows;
    this.count = countRows(rows);
  }

  /**
   * @returns the JSON of their array between two texts, written once for each two texts. That of many points has
   *   parts, each written in a turn of the event loop
   */
  json(before = '', after = ''): Buffer | Promise<Parts> {
    // JSON as it is written here has no line break, and no media type has one
    return this.#once(`${before}\n${after}`, () => pointsJson(this.rows, before, after));
  }

  /** @returns the same as a file of lines, with its head */
  lines(type: LinesType): Buffer | Promise<Parts> {
    return this.#once(type, () => pointsLines(this.rows, type));
  }

  #once(key: string, write: () => Buffer | Promise<Parts>): Buffer | Promise<Parts> {
    const before = this.#written.get(key);
    if (before !== undefined) return before;
    const written = write();
    this.#written.set(key, written);
    return written;
  }

  toJSON(): Point[] {
    return JSON.parse(`${writeJson(this.rows, '', '')}`);
  }
}

/** Runs a statement that selects {@link pointFields}. */
export async function readPoints(db: Database, statement: Statement, values: Values): Promise<Points> {
  return new Points(await db.readRows(statement, values));
}

/** A piece of a file of points. Serialised through plain JSON it is its text as CSV. */
export class FilePiece {
  /** In binary (db/binary-rows.ts). */
  readonly rows: Buffer;
  readonly #isFirst: boolean;

  constructor(rows: Buffer, isFirst: boolean) {
    this.rows = rows;
    this.#isFirst = isFirst;
  }

  /** How many points it holds, counted at each call. */
  get points(): number {
    return countRows(this.rows);
  }

  as(type: LinesType): Buffer {
    return writeLines(this.rows, type, this.#isFirst);
  }

  toJSON(): string {
    return this.as(CSV_TYPE).toString('latin1');
  }
}
