// Pages of points where no key exists: a position is a time and how many rows with that time are done.
import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type PgColumn, QueryBuilder } from 'drizzle-orm/pg-core';
import type { Point } from '../contract/audio.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import { pointColumns } from './point-columns.ts';

/** Where a page ended: `skip` rows at `time` have been delivered, and all rows before it. */
export interface Position {
  readonly time: string;
  readonly skip: number;
}

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
 * last time it meets; the outer one puts rows of equal time into a total order, so that skipping some of
 * them skips the same ones every time. Rows equal in every column are interchangeable.
 */
export function pageStatement(
  where: SQL,
  direction: 'oldest first' | 'newest first',
  { columns = pointColumns, rare = false }: PageShape = {},
): Statement {
  const byTime = (direction === 'oldest first' ? asc : desc)(audioData.time);
  const build = new QueryBuilder();
  const inner = build.select().from(audioData).where(where).orderBy(byTime);
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
export async function readPage<Row extends { time: string } = Point>(
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
  { time, skip }: Position,
  rows: number,
): Promise<Row[]> {
  return db.query<Row>(statement, { ...values, time, skip, rows, reach: skip + rows });
}

/** Makes a page of the rows that start at `position`: `limit + 1` of them, or as many as there are. */
export function cutPage<Row extends { time: string }>(
  rows: readonly Row[],
  position: Position,
  limit: number,
): Page<Row> {
  const points = rows.slice(0, limit);
  return { points, next: rows.length > limit ? positionAfter(points, position) : null };
}

function positionAfter(points: readonly { time: string }[], before: Position): Position {
  const time = points.at(-1)?.time ?? before.time;
  const earlier = points.findLastIndex((point) => point.time !== time);
  const carried = time === before.time ? before.skip : 0;
  return { time, skip: carried + points.length - 1 - earlier };
}
