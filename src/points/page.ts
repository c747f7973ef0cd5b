// Pages of points. Points have no key, so a position is a row and the number of equal rows already delivered.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { Instant } from '../contract/parameters.ts';
import { COLUMNS, StoredPoint } from '../contract/point.ts';
import type { Database, Values } from '../database/database.ts';
import {
  asc,
  compile,
  desc,
  type PgColumn,
  parameter,
  type SQL,
  type SQLWrapper,
  sql,
} from '../database/drizzle.ts';
import { audioData, tables } from '../database/schema.ts';
import {
  byOffset,
  historyEnd,
  LINE_END,
  type Lines,
  type Points,
  pointsOf,
  queryLines,
  selectLines,
} from './points.ts';

/**
 * The start of a page: after the `skip` delivered rows at `time` that equal `row`; without `row`, before all rows at
 * `time`. Equal rows are interchangeable, so a point that arrives meanwhile, even at the same time, neither repeats nor
 * hides another.
 */
export const Position = z.object({
  time: Instant,
  row: StoredPoint.omit({ time: true }).nullable(),
  skip: z.int().min(0).max(1e9),
});
export type Position = z.infer<typeof Position>;

export const startOf = (time: string): Position => ({ time, row: null, skip: 0 });

const OTHERS = COLUMNS.filter((column) => column !== 'time');

/** Null sorts last: it ranks as a value above all others of the column. */
const ABOVE_ALL: Readonly<Record<string, string>> = { real: "'NaN'", integer: '2147483647' };

function rank(value: (column: PgColumn) => SQLWrapper): SQL {
  const ranks = OTHERS.map((name) => {
    const column = audioData[name];
    if (column.notNull) return value(column);
    const above = ABOVE_ALL[column.getSQLType()];
    if (!above) throw new TypeError(`ABOVE_ALL has no value for ${column.getSQLType()}`);
    return sql`coalesce(${value(column)}, ${sql.raw(`${above}::${column.getSQLType()}`)})`;
  });
  return sql`(${sql.join(ranks, sql`, `)})`;
}

const ofPosition = rank((column) => sql`${parameter(column.name)}::${sql.raw(column.getSQLType())}`);

const fromPosition = sql`(${audioData.time} <> ${parameter('time')} or ${parameter('all_of_time')}::boolean or
  ${rank((column) => column)} >= ${ofPosition})`;

/** The number of rows to skip: the delivered rows that still exist. */
const delivered = (where: SQL) => sql`(select count(*) from (
  select from ${tables.points} where ${where} and ${audioData.time} = ${parameter('time')}
    and ${rank((column) => column)} = ${ofPosition} limit ${parameter('skip')}::bigint
) as delivered)`;

function parametersOf({ time, row, skip }: Position, rows: number) {
  const columns = OTHERS.map((name) => {
    const value = row?.[name] ?? null;
    // PostgreSQL rejects a number too small for a real; Math.fround makes it 0
    const isReal = typeof value === 'number' && audioData[name].getSQLType() === 'real';
    return [name, isReal ? Math.fround(value) : value] as const;
  });
  return { ...Object.fromEntries(columns), time, all_of_time: row === null, skip, rows, reach: skip + rows };
}

export interface Page {
  readonly points: Points;
  /** The field of the answer; none if the whole interval touches no history. */
  readonly history: { readonly history_until?: string };
  /** The start of the next page; null if this one is the last. */
  readonly next: Position | null;
}

interface PageOptions {
  /** Whether matching rows may be rare: PostgreSQL must not walk the whole time index to find a page of them. */
  readonly rare?: boolean;
  /** The relation of the points, under the table's name. */
  readonly from?: SQL;
}

type Direction = 'oldest first' | 'newest first';

/**
 * Selects one page. The inner select walks the time index, and ends with all rows of the last time that it reaches; the
 * outer select sorts the rows of one time in the order of positions.
 *
 * @param where excludes the times before the position's
 */
function selectPage(where: SQL, direction: Direction, { rare, from }: PageOptions = {}): SQL {
  const byTime = (direction === 'oldest first' ? asc : desc)(audioData.time);
  const inner = sql`select * from ${from ?? tables.points} where ${where} and ${fromPosition} order by ${byTime}`;
  const reached = rare ? unhurried(inner) : sql`${inner} fetch first ${parameter('reach')} rows with ties`;
  const order = sql.join([byTime, ...OTHERS.map((name) => audioData[name])], sql`, `);
  return sql`select * from (${reached}) as ${audioData} order by ${order}
    limit ${parameter('rows')} offset ${delivered(where)}`;
}

export type PageStatements = ReturnType<typeof pageStatements>;

/** The parameters are those of {@link selectPage}. */
export function pageStatements(name: string, ...page: Parameters<typeof selectPage>) {
  const selected = selectPage(...page);
  const until = sql`, (${historyEnd})`; // in the snapshot of the points, which may become history
  // the text of an absolute level does not give the stored level exactly
  const last = sql`${until}, (array_agg(rms_db))[${parameter('rows')}::int - 1]::text as last_db`;
  return byOffset((levels) =>
    levels === 'stored'
      ? compile(selectLines(selected, levels, until), name)
      : compile(selectLines(selected, levels, last), `${name}_absolute`),
  );
}

/**
 * PostgreSQL estimates the share of matching rows to about 1 %. If it overestimates a rare match, and sees that only a
 * page is wanted, it walks the whole time index. So this requests more rows than a page has, and `materialized` hides
 * the page: PostgreSQL then walks the index only if many rows surely match.
 */
const unhurried = (inner: SQLWrapper): SQL => sql`with reached as materialized (
    ${inner} fetch first (greatest(${parameter('reach')}::bigint, 8192)) rows with ties
  ) select * from reached`;

/** Runs a page's statement: at most `rows` points that start at `position`. @param values with {@link wholeOf} */
export function readPage(
  db: Database,
  statements: PageStatements,
  values: Values,
  position: Position,
  rows: number,
  offset_db: number,
): Promise<Lines> {
  return queryLines(db, statements(offset_db), { ...values, ...parametersOf(position, rows), offset_db });
}

/** @param read the points from `position` on: `limit + 1` of them, or as many as there are */
export function cutPage(read: Lines, position: Position, limit: number): Page {
  const { next, ...page } = cutLines(read, position, limit);
  const { history_until } = read;
  return { points: pointsOf(page), history: history_until ? { history_until } : {}, next };
}

function cutLines(read: Lines, position: Position, limit: number) {
  if (read.count <= limit) return { ...read, next: null };
  const lines = read.lines.slice(0, lastStart(read.lines));
  return { lines, count: limit, next: positionAfter(lines, position, read.last_db) };
}

/** All points from a position on, page by page, for a database that cannot stream. */
export async function* linesFrom(
  db: Database,
  statements: PageStatements,
  values: Values,
  start: Position,
  offset_db: number,
): AsyncGenerator<Lines> {
  for (let at: Position | null = start; at; ) {
    const read = await readPage(db, statements, values, at, STREAM_PAGE + 1, offset_db);
    const { next, ...page }: Lines & { next: Position | null } = cutLines(read, at, STREAM_PAGE);
    yield page;
    at = next;
  }
}

/** The page size of a stream: the embedded database serves other queries between two pages. */
const STREAM_PAGE = 5000;

function lastStart(lines: string): number {
  const before = lines.lastIndexOf(LINE_END, lines.length - LINE_END.length - 1);
  return before < 0 ? 0 : before + LINE_END.length;
}

/** @param lines those of a page, at least one. @param last_db the stored level of the last, unless its text has it */
function positionAfter(lines: string, before: Position, last_db: string | null | undefined): Position {
  const last = lines.slice(lastStart(lines));
  let [equal, rest] = [0, lines.length]; // equal points have equal texts, and no text is the end of another
  for (; lines.endsWith(last, rest); rest -= last.length) equal++;
  const read = JSON.parse(last.slice(0, -1));
  if (last_db !== undefined) read.rms_db = last_db === null ? null : Number(last_db);
  const { time, ...row } = StoredPoint.parse(read);
  const continues = rest === 0 && time === before.time && isDeepStrictEqual(row, before.row);
  return { time, row, skip: equal + (continues ? before.skip : 0) };
}
