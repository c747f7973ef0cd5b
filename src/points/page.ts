// Pages of points, which have no key: a position is a row, and how many rows equal to it were delivered.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import { COLUMNS, Point } from '../contract/point.ts';
import { nextRow } from '../db/binary-rows.ts';
import { compile, parameter } from '../db/compile.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { asc, desc, type PgColumn, QueryBuilder, type SQL, type SQLWrapper, sql } from '../db/drizzle.ts';
import { audioData } from '../db/schema.ts';
import { Points, pointFields, readPoints } from './points.ts';

/**
 * Where a page starts: at the rows of `time` that equal `row`, `skip` of which were delivered; without `row` before all
 * rows of that time. Equal rows are interchangeable: a point that arrives meanwhile, even at the same time, neither
 * repeats nor hides another.
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
const OTHERS = COLUMNS.filter((column) => column !== 'time');

/** Null comes last: it ranks as a value above all of the column. */
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

/** How many rows to pass over: of those that were delivered, the ones that are still there. */
const delivered = (where: SQL) => sql`(select count(*) from (
  select from ${audioData} where ${where} and ${audioData.time} = ${parameter('time')}
    and ${rank((column) => column)} = ${ofPosition} limit ${parameter('skip')}::bigint
) as delivered)`;

function parametersOf({ time, row, skip }: Position) {
  const columns = OTHERS.map((name) => {
    const value = row?.[name] ?? null;
    // a number too small for a real is an error to PostgreSQL, and 0 to Math.fround
    const isReal = typeof value === 'number' && audioData[name].getSQLType() === 'real';
    return [name, isReal ? Math.fround(value) : value] as const;
  });
  return { ...Object.fromEntries(columns), time, all_of_time: row === null, skip };
}

export interface Page {
  readonly points: Points;
  /** Where the next page starts, or null when this one is the last. */
  readonly next: Position | null;
}

/**
 * A statement that reads one page. The inner select walks the time index, and ends with all rows of the last time that
 * it reaches; the outer one orders the rows of one time as positions do.
 *
 * @param where leaves out the times before the position's
 * @param rare whether few rows may match, far apart: then PostgreSQL must not walk the index on time to find a page
 * @param from the points, under their name
 */
export function pageStatement(
  name: string,
  where: SQL,
  direction: 'oldest first' | 'newest first',
  { rare = false, from = sql`${audioData}` } = {},
): Statement {
  const byTime = (direction === 'oldest first' ? asc : desc)(audioData.time);
  const build = new QueryBuilder();
  const inner = sql`select * from ${from} where ${where} and ${fromPosition} order by ${byTime}`;
  const reached = rare ? unhurried(inner) : sql`${inner} fetch first ${parameter('reach')} rows with ties`;
  const page = build
    .select(pointFields)
    .from(sql`(${reached}) as ${audioData}`)
    .orderBy(byTime, ...OTHERS.map((name) => audioData[name]))
    .limit(parameter('rows'));
  return compile(sql`${page.getSQL()} offset ${delivered(where)}`, name);
}

/**
 * PostgreSQL estimates a share of rows to about 1 %. If it takes rare rows for frequent ones, and sees that only a page
 * is wanted, it walks the whole time index to find them. So this asks for more rows than a page has, and `materialized`
 * hides the page: PostgreSQL then walks only where many rows surely match.
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

/** @param points those that start at `position`: `limit + 1` of them, or as many as there are */
export function cutPage(points: Points, position: Position, limit: number): Page {
  if (points.count <= limit) return { points, next: null };
  const { rows } = points;
  const starts: number[] = [];
  for (let at = 0; starts.length <= limit; at = nextRow(rows, at)) starts.push(at);
  const end = starts.at(-1) ?? 0; // of the page: the row after it begins here
  return { points: new Points(rows.subarray(0, end)), next: positionAfter(rows, starts, position) };
}

/** @param starts where the rows of a page begin, and where the last one ends */
function positionAfter(rows: Buffer, starts: readonly number[], before: Position): Position {
  const row = (place: number) => rows.subarray(starts[place], starts[place + 1]);
  const last = starts.length - 2;
  let first = last; // of the rows equal to the last: equal byte by byte
  while (first > 0 && row(first - 1).equals(row(last))) first--;
  const [point] = new Points(row(last)).toJSON();
  if (!point) throw new Error('A page that goes on has no point');
  const { time, ...others } = point;
  const continues = first === 0 && time === before.time && isDeepStrictEqual(others, before.row);
  return { time, row: others, skip: last - first + 1 + (continues ? before.skip : 0) };
}
