// Points in results: the text that the database wrote.
import { withLevels } from '../contract/level-fields.ts';
import type { Levels } from '../contract/periods.ts';
import { COLUMNS, type Point } from '../contract/point.ts';
import { parameter } from '../database/compile.ts';
import type { Database } from '../database/database.ts';
import { type SQL, type SQLWrapper, sql } from '../database/drizzle.ts';
import { audioData } from '../database/schema.ts';
import { jsonLine } from './point-text.ts';

/**
 * Selects the text of the points that meet a condition, or of all, oldest first. Sorted by all columns, so that only
 * equal points may swap. An inner ORDER BY has only the time, an order that the index and the columnstore provide. With
 * a single ORDER BY, TimescaleDB sorts all rows before it returns the first.
 */
export function selectInOrder(text: SQL, condition: SQL): SQL {
  const order = sql.join(
    COLUMNS.map((column) => audioData[column]),
    sql`, `,
  );
  return sql`select ${text}
    from (select * from ${audioData} where ${condition} order by ${audioData.time} offset 0) as ${audioData}
    order by ${order}`;
}

/** For a statement with the parameters `from` and `to`. */
export const inInterval = sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}`;

export class Points {
  /** A JSON array. */
  readonly text: string;
  readonly count: number;

  constructor(text: string, count: number) {
    this.text = text;
    this.count = count;
  }

  shift(offset_db: number): Points {
    const shifted = withLevels(this.toJSON(), { offset_db, energy_unavailable: false });
    return new Points(JSON.stringify(shifted), this.count);
  }

  toJSON(): Point[] {
    return JSON.parse(this.text);
  }
}

/** The result of a query of points. */
export interface Lines {
  /** JSON with a comma for each, one after the other. */
  readonly lines: string;
  readonly count: number;
  /** For a page with absolute levels: the stored level of its last point. */
  readonly last_db?: string | null;
}

/**
 * @param points selects whole points, in order
 * @param others more columns of the result
 */
export function selectLines(points: SQLWrapper, levels: Levels, others = sql``): SQL {
  return sql`select coalesce(string_agg(${jsonLine(levels)}, ''), '') as lines, count(*)::int as count${others}
    from (${points}) as ${audioData}`;
}

export async function queryLines(db: Database, ...args: Parameters<Database['query']>): Promise<Lines> {
  const [read] = await db.query<Lines>(...args);
  return read ?? { lines: '', count: 0 };
}

export function pointsOf({ lines, count }: Lines): Points {
  return new Points(`[${lines.slice(0, -1)}]`, count);
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
