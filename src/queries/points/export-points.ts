// Streams the points of an interval, as the pieces of a file.
import type { Interval } from '../../contract/instant.ts';
import { compile } from '../../db/compile.ts';
import type { Database, Statement } from '../../db/database.ts';
import type { Position } from '../../points/page.ts';
import { FilePiece, inInterval, selectInOrder } from '../../points/points.ts';
import type { Signal } from '../../signal.ts';
import { rangePoints } from './range-points.ts';

const whole: Statement = {
  ...compile(selectInOrder(inInterval)),
  label: 'export_csv',
};

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

async function* pages(db: Database, interval: Interval, signal?: Signal) {
  let position: Position | undefined;
  do {
    signal?.throwIfAborted();
    const { points, next } = await rangePoints(db, interval, PAGE, position);
    if (points.count > 0) yield points.rows;
    position = next ?? undefined;
  } while (position);
}
