// The points of an interval as CSV, streamed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import { CSV_HEADER } from '../contract/export.ts';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import type { Page, Position } from '../points/page.ts';
import { csvRows } from '../points/points.ts';
import { lineFields } from '../points/select.ts';
import { rangePoints } from './range-points.ts';

const whole = compile(
  new QueryBuilder()
    .select(lineFields)
    .from(audioData)
    .where(sql`${audioData.time} >= ${parameter('from')} and ${audioData.time} < ${parameter('to')}`)
    .orderBy(audioData.time, audioData.rms_db, audioData.frequency_hz, audioData.is_silence),
);

const PAGE = 5000;

/**
 * The header row, then one row per point of `[from, to)`, oldest first. Reads on only as fast as the
 * consumer takes; the query ends when the consumer stops or `signal` aborts.
 */
export async function* exportCsv(
  db: Database,
  interval: { from: string; to: string },
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const lines = db.copyOut ? db.copyOut(whole, interval, signal) : pages(db, interval, signal);
  const head = Buffer.from(`${CSV_HEADER}\n`);
  let begun = false;
  for await (const rows of csvRows(lines)) {
    yield begun ? rows : Buffer.concat([head, rows]);
    begun = true;
  }
  if (!begun) yield head;
}

async function* pages(db: Database, interval: { from: string; to: string }, signal?: AbortSignal) {
  let position: Position | undefined;
  do {
    await nextTurn(); // the embedded database shares its process with every other request
    signal?.throwIfAborted();
    const page: Page = await rangePoints(db, interval, PAGE, position);
    yield Buffer.from(page.lines, 'latin1');
    position = page.next ?? undefined;
  } while (position);
}
