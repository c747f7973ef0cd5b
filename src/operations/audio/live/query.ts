// The points of an interval as lines of JSON, oldest first, for streams.
import type { Database } from '../../../database/database.ts';
import { compile, instantText, parameter, sql } from '../../../database/drizzle.ts';
import { audioData, tables } from '../../../database/schema.ts';
import { inInterval, queryLines, selectLines } from '../../../points/points.ts';

const { time } = audioData;

const oldest = sql`select * from ${tables.points} where ${inInterval} order by ${time}
  fetch first (${parameter('rows')}::bigint) rows with ties`;
const statement = compile(selectLines(oldest, 'stored'), 'tail');

const last = compile(
  sql<{ time: string }>`select ${instantText(sql`${time}`)} as time from ${tables.points} where ${inInterval}
    order by ${time} desc offset (${parameter('rows')}::bigint) limit 1`,
  'start_of_last',
);

/** The oldest `rows` points of `[from, to)`, plus all points at the same time as the last of them. */
export const tail = (db: Database, from: string, to: string, rows: number, signal?: AbortSignal) =>
  queryLines(db, statement, { from, to, rows }, signal);

/** @returns a canonical time after which `[from, to)` has at most `rows` points; undefined if all of it has no more */
export async function startOfLast(
  db: Database,
  from: string,
  to: string,
  rows: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const [found] = await db.query(last, { from, to, rows }, signal);
  return found?.time;
}
