// Pages of points in binary, until exports and backups are text.
import { isDeepStrictEqual } from 'node:util';
import type { Point } from '../contract/point.ts';
import { countRows, nextRow } from '../db/binary-rows.ts';
import { compile } from '../db/compile.ts';
import type { Database, Statement, Values } from '../db/database.ts';
import { QueryBuilder, type SQL, sql } from '../db/drizzle.ts';
import { audioData } from '../db/schema.ts';
import { type Position, parametersOf, selectPage } from './page.ts';
import { pointFields } from './points.ts';
import { writeJson } from './serialise.ts';

export function binaryPage(name: string, where: SQL): Statement {
  const page = sql`(${selectPage(where, 'oldest first')}) as ${audioData}`;
  return compile(new QueryBuilder().select(pointFields).from(page), name);
}

/** Reads a page of `limit` points that starts at `position`. */
export async function readBinaryPage(
  db: Database,
  statement: Statement,
  values: Values,
  position: Position,
  limit: number,
): Promise<{ rows: Buffer; next: Position | null }> {
  const rows = await db.readRows(statement, { ...values, ...parametersOf(position, limit + 1) });
  if (countRows(rows) <= limit) return { rows, next: null };
  const starts: number[] = [];
  for (let at = 0; starts.length <= limit; at = nextRow(rows, at)) starts.push(at);
  return { rows: rows.subarray(0, starts.at(-1)), next: positionAfter(rows, starts, position) };
}

/** @param starts where the rows of a page begin, and where the last one ends */
function positionAfter(rows: Buffer, starts: readonly number[], before: Position): Position {
  const row = (place: number) => rows.subarray(starts[place], starts[place + 1]);
  const last = starts.length - 2;
  let first = last; // of the rows equal to the last: equal byte by byte
  while (first > 0 && row(first - 1).equals(row(last))) first--;
  const [point]: Point[] = JSON.parse(`${writeJson(row(last), '', '')}`);
  if (!point) throw new Error('A page that goes on has no point');
  const { time, ...others } = point;
  const continues = first === 0 && time === before.time && isDeepStrictEqual(others, before.row);
  return { time, row: others, skip: last - first + 1 + (continues ? before.skip : 0) };
}
