// Pages of points where no key exists: a position is a time and how many rows with that time are done.
import { asc, desc, type SQL, sql } from 'drizzle-orm';
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

/**
 * A statement that reads one page. The inner select walks the time index and ends with all the rows of the
 * last time it meets; the outer one puts rows of equal time into a total order, so that skipping some of
 * them skips the same ones every time. Rows equal in every column are interchangeable.
 */
export function pageStatement(
  where: SQL,
  direction: 'oldest first' | 'newest first',
  columns: Record<string, PgColumn | SQL | SQL.Aliased> = pointColumns,
): Statement {
  const byTime = (direction === 'oldest first' ? asc : desc)(audioData.time);
  const build = new QueryBuilder();
  const inner = build.select().from(audioData).where(where).orderBy(byTime);
  const reached = sql`(${inner} fetch first ${parameter('reach')} rows with ties) as ${audioData}`;
  return compile(
    build
      .select(columns)
      .from(reached)
      .orderBy(byTime, audioData.rms_db, audioData.frequency_hz, audioData.is_silence)
      .offset(parameter('skip'))
      .limit(parameter('rows')),
  );
}

/** Reads one page of at most `limit` points that starts at `position`. One row more tells if more exist. */
export async function readPage<Row extends { time: string } = Point>(
  db: Database,
  statement: Statement,
  values: Values,
  position: Position,
  limit: number,
): Promise<Page<Row>> {
  const rows = limit + 1;
  const { time, skip } = position;
  const points = await db.query<Row>(statement, { ...values, time, skip, rows, reach: skip + rows });
  if (points.length <= limit) return { points, next: null };
  points.pop();
  return { points, next: positionAfter(points, position) };
}

function positionAfter(points: readonly { time: string }[], before: Position): Position {
  const time = points.at(-1)?.time ?? before.time;
  const earlier = points.findLastIndex((point) => point.time !== time);
  const carried = time === before.time ? before.skip : 0;
  return { time, skip: carried + points.length - 1 - earlier };
}
