// Points in results: the text that the database wrote.
import { COLUMNS, type Point } from '../contract/point.ts';
import { parameter } from '../db/compile.ts';
import type { Database } from '../db/database.ts';
import { type SQL, type SQLWrapper, sql } from '../db/drizzle.ts';
import { audioData } from '../db/schema.ts';
import { type PointStyle, shiftLevels, TEXT_FORMATS, type TextKind, textOfPoint } from './point-text.ts';

/**
 * Selects the text of the points that meet a condition, or of all, oldest first. Sorted by all columns, so that only
 * equal points may swap. An inner ORDER BY has only the time, an order that the index and the columnstore provide. With
 * a single ORDER BY, TimescaleDB sorts all rows before it returns the first.
 */
export function selectInOrder(kind: TextKind, condition = sql`true`): SQL {
  const order = sql.join(
    COLUMNS.map((column) => audioData[column]),
    sql`, `,
  );
  return sql`select ${textOfPoint(kind).point}
    from (select * from ${audioData} where ${condition} order by ${audioData.time} offset 0) as ${audioData}
    order by ${order}`;
}

/** For a statement with the parameters `from` and `to`. */
export const inInterval = sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}`;

export class Points {
  /** A JSON array, or the lines of a file with its header. */
  readonly text: string;
  readonly count: number;

  constructor(text: string, count: number) {
    this.text = text;
    this.count = count;
  }

  /** For points read as JSON: adds an offset to their levels. */
  shift(offset_db: number): Points {
    return new Points(shiftLevels(this.text, offset_db), this.count);
  }

  /** For points read as JSON. */
  toJSON(): Point[] {
    return JSON.parse(this.text);
  }
}

/** The result of a query of points: the line of each, one after the other. */
export interface Lines {
  readonly lines: string;
  readonly count: number;
}

/** @param points selects whole points, in order */
export function selectLines(points: SQLWrapper, kind: TextKind): SQL {
  return sql`select coalesce(string_agg(${textOfPoint(kind).line}, ''), '') as lines, count(*)::int as count
    from (${points}) as ${audioData}`;
}

export async function readLines(db: Database, ...args: Parameters<Database['query']>): Promise<Lines> {
  const [read] = await db.query<Lines>(...args);
  return read ?? { lines: '', count: 0 };
}

export function pointsOf({ lines, count }: Lines, { type }: Pick<PointStyle, 'type'>): Points {
  return new Points(TEXT_FORMATS[type].whole(lines), count);
}

export interface FilePiece {
  readonly bytes: Buffer;
  readonly points: number;
}

/** A file of points under construction: its pieces, or its text for clients that accept CSV. */
export class PointsFile implements AsyncIterable<string> {
  readonly name: string;
  readonly pieces: AsyncIterable<FilePiece>;

  constructor(name: string, pieces: AsyncIterable<FilePiece>) {
    this.name = name;
    this.pieces = pieces;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    for await (const { bytes } of this.pieces) yield bytes.toString('latin1');
  }
}

/** @param bytes of lines, cut anywhere */
export function pieceOf(bytes: Buffer): FilePiece {
  let points = 0;
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) points++;
  return { bytes, points };
}

const LINE_BREAK = 0x0a;
