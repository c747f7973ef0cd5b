// Pages of points where no key exists: a position is a row, and how many rows equal to it are done.
import { isDeepStrictEqual } from 'node:util';
import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type PgColumn, QueryBuilder } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import { COLUMNS, Point } from '../contract/point.ts';
import { nextRow } from '../db/binary-rows.ts';
import { compile, parameter } from '../db/compile.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { Points, pointFields, readPoints } from './points.ts';

/**
 * Where a page starts: among the rows of `time` at those equal to `row`, `skip` of which are delivered, else
 * before all rows of that time. Rows that are equal in every column are interchangeable, so points that arrive
 * meanwhile, even at the same time, neither repeat nor hide another.
 */
export const Position = z.object({
  time: Instant,
  row: Point.omit({ time: true }).nullable(),
  skip: z.int().min(0).max(1e9),
});
export type Position = z.infer<typeof Position>;

/** Before all rows of a time. */
export function startOf(time: string): Position {
  return { time, row: null, skip: 0 };
}

/** The columns that order the rows of one time. */
const others = COLUMNS.filter((column) => column !== 'time').map((column) => audioData[column]);

/** Null comes last: it ranks as what is above every value of the column. */
const ABOVE_ALL: Readonly<Record<string, string>> = { real: "'NaN'", integer: '2147483647' };

function rank(value: (column: PgColumn) => SQLWrapper): SQL {
  const ranks = others.map((column) => {
    if (column.notNull) return value(column);
    const above = ABOVE_ALL[column.getSQLType()];
    if (!above) throw new TypeError(`ABOVE_ALL has no value for ${column.getSQLType()}`);
    return sql`coalesce(${value(column)}, ${sql.raw(`${above}::${column.getSQLType()}`)})`;
  });
  return sql`(${sql.join(ranks, sql`, `)})`;
}

const fromPosition = sql`(${audioData.time} <> ${parameter('time')} or ${parameter('all_of_time')}::boolean or
  ${rank((column) => column)} >=
  ${rank((column) => sql`${parameter(column.name)}::${sql.raw(column.getSQLType())}`)})`;

function parametersOf({ time, row, skip }: Position) {
  const columns = others.map((column) => {
    const value = row?.[column.name as keyof typeof row] ?? null;
    // a number too small for a real is an error to PostgreSQL, and 0 to Math.fround
    const isReal = typeof value === 'number' && column.getSQLType() === 'real';
    return [column.name, isReal ? Math.fround(value) : value] as const;
  });
  return { ...Object.fromEntries(columns), time, all_of_time: row === null, skip };
}

export interface Page {
  readonly points: Points;
  /** Where the next page starts, or null when this one is the last. */
  readonly next: Position | null;
}

/**
 * A statement that reads one page. The inner select walks the time index and ends with all the rows of the
 * last time it meets; the outer one puts rows of equal time into the order of positions.
 *
 * @param where leaves out the times before the position's
 * @param rare whether few rows may match, far apart: an index other than that of time then finds them
 */
export function pageStatement(
  name: string,
  where: SQL,
  direction: 'oldest first' | 'newest first',
  { rare = false } = {},
): Statement {
  const byTime = (direction === 'oldest first' ? asc : desc)(audioData.time);
  const build = new QueryBuilder();
  const inner = build.select().from(audioData).where(sql`${where} and ${fromPosition}`).orderBy(byTime);
  const reached = rare ? unhurried(inner) : sql`${inner} fetch first ${parameter('reach')} rows with ties`;
  const page = build
    .select(pointFields)
    .from(sql`(${reached}) as ${audioData}`)
    .orderBy(byTime, ...others)
    .offset(parameter('skip'))
    .limit(parameter('rows'));
  return compile(page, name);
}

/**
 * PostgreSQL estimates a share of rows to about 1 %. Where it takes rare rows for common ones and sees that
 * only a page is wanted, it walks the time index and reads everything to find it. So this asks for more rows
 * than a page has, and `materialized` hides the page: PostgreSQL then walks only where matches surely are many.
 */
function unhurried(inner: SQLWrapper): SQL {
  return sql`with reached as materialized (
    ${inner} fetch first (greatest(${parameter('reach')}::bigint, 8192)) rows with ties
  ) select * from reached`;
}

/** Runs a page's statement: at most `rows` rows that start at `position`. */
export function readRows(
  db: Database,
  statement: Statement,
  values: Values,
  position: Position,
  rows: number,
): Promise<Points> {
  return readPoints(db, statement, {
    ...values,
    ...parametersOf(position),
    rows,
    reach: position.skip + rows,
  });
}

/** Makes a page of the rows that start at `position`: `limit + 1` of them, or as many as there are. */
export function cutPage(points: Points, position: Position, limit: number): Page {
  if (points.count <= limit) return { points, next: null };
  const { rows } = points;
  const starts: number[] = [];
  for (let at = 0; starts.length <= limit; at = nextRow(rows, at)) starts.push(at);
  const end = starts.at(-1) ?? 0; // of the page, where its last row more begins
  return { points: new Points(rows.subarray(0, end)), next: positionAfter(rows, starts, position) };
}

/** @param starts where the rows of a page begin, and where the last one ends */
function positionAfter(rows: Buffer, starts: readonly number[], before: Position): Position {
  const row = (place: number) => rows.subarray(starts[place], starts[place + 1]);
  const last = starts.length - 2;
  let first = last; // of those equal to the last, which are equal byte by byte
  while (first > 0 && row(first - 1).equals(row(last))) first--;
  const [point] = new Points(row(last)).toJSON();
  if (!point) throw new Error('A page that goes on has no point');
  const { time, ...others } = point;
  const continues = first === 0 && time === before.time && isDeepStrictEqual(others, before.row);
  return { time, row: others, skip: last - first + 1 + (continues ? before.skip : 0) };
}
