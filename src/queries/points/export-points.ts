// Streams the points of an interval, as the pieces of a file.
import type { Interval } from '../../contract/instant.ts';
import { compile, parameter } from '../../db/compile.ts';
import type { Database, Statement } from '../../db/database.ts';
import { sql } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import { binaryPage, readBinaryPage } from '../../points/binary-page.ts';
import { type Position, startOf } from '../../points/page.ts';
import { FilePiece, inInterval, selectInOrder } from '../../points/points.ts';
import type { Signal } from '../../signal.ts';

const whole: Statement = {
  ...compile(selectInOrder(inInterval)),
  label: 'export_csv',
};

const page = binaryPage(
  'export_page',
  sql`${audioData.time} >= ${parameter('time')} and ${audioData.time} < ${parameter('to')}`,
);

/** How many points are read at once if the database cannot stream. */
const PAGE = 5000;

/**
 * A file of the points of `[from, to)`, oldest first; at least one piece, for its head. Reads only as fast as the
 * consumer takes. The query ends when the consumer stops or `signal` aborts.
 */
export async function* exportPoints(
  db: Database,
  interval: Interval,
  signal?: Signal,
): AsyncGenerator<FilePiece> {
  const pieces = db.streamRows ? db.streamRows(whole, interval, signal) : pages(db, interval, signal);
  let isFirst = true;
  for await (const rows of pieces) {
    yield new FilePiece(rows, isFirst);
    isFirst = false;
  }
  if (isFirst) yield new FilePiece(Buffer.of(), isFirst);
}

async function* pages(db: Database, { from, to }: Interval, signal?: Signal) {
  for (let position: Position | null = startOf(from); position; ) {
    signal?.throwIfAborted();
    const { rows, next } = await readBinaryPage(db, page, { to }, position, PAGE);
    if (rows.length > 0) yield rows;
    position = next;
  }
}
