// The points of an interval as CSV text, streamed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import { CSV_HEADER } from '../contract/export.ts';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import { type Page, type Position, pageStatement, readPage } from './page.ts';
import { pointColumns } from './point-columns.ts';

type Row = Record<string, string | null> & { time: string };

/** The columns as text that both ways of reading print alike. */
const columns = {
  time: pointColumns.time,
  rms_db: sql`(${audioData.rms_db} + 0::real)::text`.as('level'), // without it, 0 may print as -0
  frequency_hz: sql`${audioData.frequency_hz}::text`.as('frequency'),
  is_silence: sql`${audioData.is_silence}::text`.as('silence'),
};
const before = sql`${audioData.time} < ${parameter('to')}`;

const whole = compile(
  new QueryBuilder()
    .select(columns)
    .from(audioData)
    .where(sql`${audioData.time} >= ${parameter('from')} and ${before}`)
    .orderBy(audioData.time, audioData.rms_db, audioData.frequency_hz, audioData.is_silence),
);

const PAGE = 5000;
const page = pageStatement(sql`${audioData.time} >= ${parameter('time')} and ${before}`, 'oldest first', {
  columns,
});

/**
 * The header row, then one row per point of `[from, to)`, oldest first. Reads on only as fast as the
 * consumer takes; the query ends when the consumer stops or `signal` aborts.
 */
export async function* exportCsv(
  db: Database,
  interval: { from: string; to: string },
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const rows = db.copyOut ? text(db.copyOut(whole, interval, signal)) : pages(db, interval, signal);
  let head = `${CSV_HEADER}\n`;
  for await (const piece of rows) {
    yield head + piece;
    head = '';
  }
  if (head) yield head;
}

async function* text(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
}

async function* pages(db: Database, { from, to }: { from: string; to: string }, signal?: AbortSignal) {
  let position: Position | null = { time: from, skip: 0 };
  while (position) {
    await nextTurn(); // the embedded database shares its process with every other request
    signal?.throwIfAborted();
    const { points, next }: Page<Row> = await readPage<Row>(db, page, { to }, position, PAGE);
    yield points
      .map(
        (row) =>
          `${Object.values(row)
            .map((value) => value ?? '')
            .join(',')}\n`,
      )
      .join('');
    position = next;
  }
}
