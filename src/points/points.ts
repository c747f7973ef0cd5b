// Points as answers hold them: as the text that the database wrote.
import { CSV_TYPE, type LinesType, type PageType } from '../contract/media-types.ts';
import { COLUMNS, type Column, type Point } from '../contract/point.ts';
import { countRows } from '../db/binary-rows.ts';
import { parameter } from '../db/compile.ts';
import type { Database } from '../db/database.ts';
import { QueryBuilder, type SQL, type SQLWrapper, sql } from '../db/drizzle.ts';
import { audioData } from '../db/schema.ts';
import { TEXT_FORMATS } from './point-text.ts';
import { writeLines } from './serialise.ts';

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

/** Points as PostgreSQL wrote them. */
export class Points {
  /** An array of JSON, or the lines of a file with its header. */
  readonly text: string;
  readonly count: number;

  constructor(text: string, count: number) {
    this.text = text;
    this.count = count;
  }

  /** Of points that were read as JSON. */
  toJSON(): Point[] {
    return JSON.parse(this.text);
  }
}

/** What a query of points gives: the line of each, one after the other. */
export interface Lines {
  readonly lines: string;
  readonly count: number;
}

/** @param points selects whole points in their order */
export function selectLines(points: SQLWrapper, type: PageType): SQL {
  return sql`select coalesce(string_agg(${TEXT_FORMATS[type].line}, ''), '') as lines, count(*)::int as count
    from (${points}) as ${audioData}`;
}

/** Runs a statement of {@link selectLines}. */
export async function readLines(db: Database, ...asked: Parameters<Database['query']>): Promise<Lines> {
  const [read] = await db.query<Lines>(...asked);
  return read ?? { lines: '', count: 0 };
}

export function pointsOf({ lines, count }: Lines, type: PageType): Points {
  return new Points(TEXT_FORMATS[type].whole(lines), count);
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
