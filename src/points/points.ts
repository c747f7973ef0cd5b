// Points in results: the text that the database writes, and the SQL that makes it write that text.
import { AFTER_LAST_INSTANT, FIRST_INSTANT, type OpenInterval } from '../contract/instant.ts';
import type { Levels } from '../contract/periods.ts';
import { COLUMNS, type Column, type Point } from '../contract/point.ts';
import { withLevels } from '../contract/shown-scale.ts';
import type { Queries, Statement, Values } from '../database/database.ts';
import { instantText, parameter, type SQL, type SQLWrapper, sql } from '../database/drizzle.ts';
import { audioData, tables } from '../database/schema.ts';

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
    from (select * from ${tables.points} where ${condition} order by ${audioData.time} offset 0) as ${audioData}
    order by ${order}`;
}

/** The end of the newest minute of history (drizzle/0011) in an interval, canonical. No row without any. */
export const historyEnd = sql<{ history_until: string }>`
  select ${instantText(sql`(bucket + interval '1 minute')`)} as history_until from ${tables.history}
  where minutes = 1 and bucket >= ${parameter('whole_from')}::timestamptz and bucket < ${parameter('whole_to')}::timestamptz
  order by bucket desc limit 1`;

/** The values of {@link historyEnd}. @param interval that of all pages */
export const wholeOf = ({ from, to }: OpenInterval) => ({
  whole_from: from ?? FIRST_INSTANT,
  whole_to: to ?? AFTER_LAST_INSTANT,
});

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

/** An answer or an event inside the service. Its points stay text until they are sent. */
export type Given<Answer> = Answer extends { points: Point[] }
  ? Omit<Answer, 'points'> & { points: Points }
  : Answer;

export interface Lines {
  /** JSON with a comma for each, one after the other. */
  readonly lines: string;
  readonly count: number;
  /** For a page with absolute levels: the stored level of its last point. */
  readonly last_db?: string | null;
  /** For a page: {@link historyEnd}. */
  readonly history_until?: string | null;
}

/** @param points selects whole points, in order. @param others more columns of the result */
export function selectLines(points: SQLWrapper, levels: Levels, others = sql``): SQL<Lines> {
  return sql<Lines>`select coalesce(string_agg(${jsonLine(levels)}, ''), '') as lines, count(*)::int as count${others}
    from (${points}) as ${audioData}`;
}

export async function queryLines(
  db: Queries,
  statement: Statement<Lines>,
  values: Values,
  signal?: AbortSignal,
): Promise<Lines> {
  const [read] = await db.query(statement, values, signal);
  return read ?? { lines: '', count: 0 };
}

export const pointsOf = ({ lines, count }: Lines): Points => new Points(`[${lines.slice(0, -1)}]`, count);

export interface FilePiece {
  readonly bytes: Buffer;
  readonly points: number;
  /** Of the first piece: where the removed points of the file end, if there are any. */
  readonly history_until?: string;
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

export function pieceOf(bytes: Buffer): FilePiece {
  let points = 0;
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) points++;
  return { bytes, points };
}

const LINE_BREAK = 0x0a;

const isTime = (column: Column) => audioData[column].getSQLType() === 'timestamp with time zone';
const isLevel = (column: Column) => audioData[column].getSQLType() === 'real';

/** A level as text, in the form of the contract. Adding 0 turns -0 into 0. */
const LEVEL_TEXT: Readonly<Record<Levels, (level: SQL) => SQL>> = {
  stored: (level) => sql`(${level} + 0::real)::text`,
  absolute: (level) =>
    sql`trim_scale((${level} + 0::real)::text::numeric + ${parameter('offset_db')}::text::numeric)::text`,
};

/** In the form of the contract, whatever the type. */
function textOf(column: Column, none: string, levels: Levels): SQL {
  const its = audioData[column];
  if (isTime(column)) return instantText(its);
  const text = isLevel(column) ? LEVEL_TEXT[levels](sql`${its}`) : sql`${its}::text`;
  return its.notNull ? text : sql`coalesce(${text}, ${literal(none)})`;
}

const literal = (text: string) => sql.raw(`'${text}'`);

/** @param point the template of a point, with a `?` for each value */
function lineOf(point: string, none: string, levels: Levels): SQL {
  const [first = '', ...after] = point.split('?').map(literal);
  return after.reduce((line, text, index) => {
    const column = COLUMNS[index];
    return column ? sql`${line} || ${textOf(column, none, levels)} || ${text}` : line;
  }, sql`${first}`);
}

const JSON_POINT = `{${COLUMNS.map((column) => `"${column}":${isTime(column) ? '"?"' : '?'}`)}}`;
const CSV_POINT = COLUMNS.map(() => '?').join();

/** The text of a point of the table. For absolute levels the statement has the parameter `offset_db`. */
export type PointText = (levels: Levels) => SQL;

/** The text of points, as SQL: PostgreSQL formats every point that leaves the service. */
export const jsonPoint: PointText = (levels) => lineOf(JSON_POINT, 'null', levels);
/** The same and a comma: lines become an array without a separator. */
const jsonLine: PointText = (levels) => lineOf(`${JSON_POINT},`, 'null', levels);
export const csvPoint: PointText = (levels) => lineOf(CSV_POINT, '', levels);

/** The end of a {@link jsonLine}. It occurs nowhere else in one. */
export const LINE_END = '},';

/** @param lines as {@link jsonLine} writes them. @returns lines of JSON */
export const jsonLines = (lines: string) => lines.replaceAll(LINE_END, '}\n');

/** @param lines as {@link jsonLine} writes them. @returns the lines that {@link csvPoint} writes */
export const csvLines = (lines: string) =>
  lines.replace(/\},/g, '\n').replace(/\{?"\w+":"?|"(?=,)|null/g, '');

/** One value for stored levels and one for absolute levels, by the offset of each level in dB. */
export function byOffset<Each>(make: (levels: Levels) => Each): (offset_db: number) => Each {
  const [stored, absolute] = [make('stored'), make('absolute')];
  return (offset_db) => (offset_db === 0 ? stored : absolute);
}
