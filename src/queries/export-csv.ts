// The points of an interval as CSV text, streamed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/pg-core';
import type { Point } from '../contract/audio.ts';
import { CSV_HEADER } from '../contract/export.ts';
import type { Database } from '../db/database.ts';
import { audioData } from '../db/schema.ts';
import { compile, parameter } from '../db/statement.ts';
import { type Page, type Position, pageStatement, readPage, startOf } from './page.ts';
import { pointColumns } from './point-columns.ts';

/** The level as text that both ways of reading print alike; without the addition, 0 may print as -0. */
const level = sql<string | null>`(${audioData.rms_db} + 0::real)::text`.as('level');
const { time, frequency_hz } = pointColumns;
const before = sql`${audioData.time} < ${parameter('to')}`;

const whole = compile(
  new QueryBuilder()
    .select({ time, level, frequency_hz, is_silence: sql`${audioData.is_silence}::text`.as('silence') })
    .from(audioData)
    .where(sql`${audioData.time} >= ${parameter('from')} and ${before}`)
    .orderBy(audioData.time, audioData.rms_db, audioData.frequency_hz, audioData.is_silence),
);

const PAGE = 5000;
const page = pageStatement(sql`${audioData.time} >= ${parameter('time')} and ${before}`, 'oldest first', {
  columns: { ...pointColumns, level },
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
  let position: Position | null = startOf(from);
  while (position) {
    await nextTurn(); // the embedded database shares its process with every other request
    signal?.throwIfAborted();
    const { points, next }: Page<Row> = await readPage(db, page, { to }, position, PAGE);
    yield points.map(csvRow).join('');
    position = next;
  }
}

type Row = Point & { level: string | null };

function csvRow({ time, level, frequency_hz, is_silence }: Row): string {
  return `${time},${level ?? ''},${frequency_hz ?? ''},${is_silence}\n`;
}
