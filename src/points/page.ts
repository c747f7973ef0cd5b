// Pages of points where no key exists: a position is a row, and how many rows equal to it are done.
import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import type { Point } from '../contract/audio.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import { pointsJson } from './points.ts';
import { type Lines, lineFields, linesOf, readLines } from './select.ts';

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

export interface Page {
  /** The points, a line each. */
  readonly lines: string;
  /** Where the next page starts, or null when this one is the last. */
  readonly next: Position | null;
}

/**
 * A statement that reads one page. The inner select walks the time index and ends with all the rows of the
 * last time it meets; the outer one puts rows of equal time into the order of positions.
 *
 * @param where leaves out the times before the position's
 * @param rare whether rows that fit may be few and far between: an index other than that of time then finds
 *   them
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
    .select(lineFields)
    .from(sql`(${reached}) as ${audioData}`)
    .orderBy(byTime, audioData.rms_db, audioData.frequency_hz, audioData.is_silence)
    .offset(parameter('skip'))
    .limit(parameter('rows'));
  return compile(linesOf(page), name);
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
export async function readPage(
  db: Database,
  statement: Statement,
  values: Values,
  position: Position,
  limit: number,
): Promise<Page> {
  return cutPage(await readRows(db, statement, values, position, limit + 1), position, limit);
}

/** Runs a page's statement: at most `rows` rows that start at `position`. */
export function readRows(
  db: Database,
  statement: Statement,
  values: Values,
  position: Position,
  rows: number,
): Promise<Lines> {
  return readLines(db, statement, { ...values, ...position, rows, reach: position.skip + rows });
}

/** Makes a page of the rows that start at `position`: `limit + 1` of them, or as many as there are. */
export function cutPage({ rows, lines }: Lines, position: Position, limit: number): Page {
  if (rows <= limit) return { lines, next: null };
  const page = lines.slice(0, -lastOf(lines).length);
  return { lines: page, next: positionAfter(page, position) };
}

function positionAfter(lines: string, before: Position): Position {
  const line = lastOf(lines);
  let end = lines.length;
  while (lines.endsWith(line, end)) end -= line.length;
  const equal = (lines.length - end) / line.length;
  const [point]: Point[] = JSON.parse(`${pointsJson(line)}`);
  const last = point ? positionOf(point) : before;
  return { ...last, skip: equal + (end === 0 && isSame(before, last) ? before.skip : 0) };
}

function lastOf(lines: string): string {
  return lines.slice(lines.lastIndexOf('\n', lines.length - 2) + 1);
}

function positionOf({ time, rms_db, frequency_hz, is_silence }: Point): Position {
  const [level, frequency] = [rms_db ?? NO_LEVEL, frequency_hz ?? NO_FREQUENCY];
  return { time, level, frequency, silence: is_silence, skip: 0 };
}

function isSame(a: Position, b: Position): boolean {
  return a.time === b.time && a.level === b.level && a.frequency === b.frequency && a.silence === b.silence;
}
