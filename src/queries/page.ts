// Pages of points where no key exists: a position is a row, and how many rows equal to it are done.
import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type PgColumn, QueryBuilder } from 'drizzle-orm/pg-core';
import type { Point } from '../contract/audio.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import { pointColumns } from './point-columns.ts';

/**
 * Where a page starts: at the rows equal to this one, `skip` of which have been delivered, and all rows
 * before them. Rows equal in every column are interchangeable, so points that arrive meanwhile, even at the
 * same time, neither repeat nor hide another. A null level or frequency counts as above all others.
 */
export interface Position {
  readonly time: string;
  readonly level: number;
  readonly frequency: number;
  readonly silence: boolean;
  readonly skip: number;
}

/** Before all rows of a time. */
export function startOf(time: string): Position {
  return { time, level: -51, frequency: 0, silence: false, skip: 0 };
}

const [NO_LEVEL, NO_FREQUENCY] = [1, 9000];
const rank = sql`(coalesce(${audioData.rms_db}, ${sql.raw(String(NO_LEVEL))}),
  coalesce(${audioData.frequency_hz}, ${sql.raw(String(NO_FREQUENCY))}), ${audioData.is_silence})`;
const fromPosition = sql`(${audioData.time} <> ${parameter('time')}
  or ${rank} >= (${parameter('level')}::real, ${parameter('frequency')}::int, ${parameter('silence')}::boolean))`;

export interface Page<Row = Point> {
  readonly points: Row[];
  /** Where the next page starts, or null when this one is the last. */
  readonly next: Position | null;
}

export interface PageShape {
  columns?: Record<string, PgColumn | SQL | SQL.Aliased>;
  /** Whether rows that fit may be few and far between: an index other than that of time then finds them. */
  rare?: boolean;
}

/**
 * A statement that reads one page. The inner select walks the time index and ends with all the rows of the
 * last time it meets; the outer one puts rows of equal time into the order of positions.
 *
 * @param where leaves out the times before the position's
 */
export function pageStatement(
  where: SQL,
  direction: 'oldest first' | 'newest first',
  { columns = pointColumns, rare = false }: PageShape = {},
): Statement {
  const byTime = (direction === 'oldest first' ? asc : desc)(audioData.time);
  const build = new QueryBuilder();
  const inner = build.select().from(audioData).where(sql`${where} and ${fromPosition}`).orderBy(byTime);
  const reached = rare ? unhurried(inner) : sql`${inner} fetch first ${parameter('reach')} rows with ties`;
  return compile(
    build
      .select(columns)
      .from(sql`(${reached}) as ${audioData}`)
      .orderBy(byTime, audioData.rms_db, audioData.frequency_hz, audioData.is_silence)
      .offset(parameter('skip'))
      .limit(parameter('rows')),
  );
}

/**
 * PostgreSQL knows a share of rows to 1 % or so. Where it takes rare rows for common ones and sees that only
 * a page is wanted, it walks the time index and reads everything to find it. So it is told of more rows than
 * a page has, and by `materialized` kept from seeing the page: it walks only where rows surely are many.
 */
function unhurried(inner: SQLWrapper): SQL {
  return sql`with reached as materialized (
    ${inner} fetch first (greatest(${parameter('reach')}::bigint, 8192)) rows with ties
  ) select * from reached`;
}

/** Reads one page of at most `limit` points that starts at `position`. One row more tells if more exist. */
export async function readPage<Row extends Point = Point>(
  db: Database,
  statement: Statement,
  values: Values,
  position: Position,
  limit: number,
): Promise<Page<Row>> {
  const rows = await readRows<Row>(db, statement, values, position, limit + 1);
  return cutPage(rows, position, limit);
}

/** Runs a page's statement: at most `rows` rows that start at `position`. */
export function readRows<Row = Point>(
  db: Database,
  statement: Statement,
  values: Values,
  position: Position,
  rows: number,
): Promise<Row[]> {
  return db.query<Row>(statement, { ...values, ...position, rows, reach: position.skip + rows });
}

/** Makes a page of the rows that start at `position`: `limit + 1` of them, or as many as there are. */
export function cutPage<Row extends Point>(
  rows: readonly Row[],
  position: Position,
  limit: number,
): Page<Row> {
  const points = rows.slice(0, limit);
  return { points, next: rows.length > limit ? positionAfter(points, position) : null };
}

function positionAfter(points: readonly Point[], before: Position): Position {
  const end = points.at(-1);
  const last = end ? positionOf(end) : before;
  const other = points.findLastIndex((point) => !isSame(positionOf(point), last));
  const equal = points.length - 1 - other;
  return { ...last, skip: equal + (other < 0 && isSame(before, last) ? before.skip : 0) };
}

function positionOf({ time, rms_db, frequency_hz, is_silence }: Point): Position {
  const [level, frequency] = [rms_db ?? NO_LEVEL, frequency_hz ?? NO_FREQUENCY];
  return { time, level, frequency, silence: is_silence, skip: 0 };
}

function isSame(a: Position, b: Position): boolean {
  return a.time === b.time && a.level === b.level && a.frequency === b.frequency && a.silence === b.silence;
}
