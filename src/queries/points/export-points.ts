// Streams the points of an interval as the pieces of a file.
import type { Interval } from '../../contract/instant.ts';
import { CSV_TYPE, type FileType, type LinesType, PARQUET_TYPE } from '../../contract/media-types.ts';
import { compile } from '../../db/compile.ts';
import type { Database } from '../../db/database.ts';
import { linesFrom, startOf } from '../../points/page.ts';
import { byKind, TEXT_FORMATS } from '../../points/point-text.ts';
import { type FilePiece, inInterval, pieceOf, selectInOrder } from '../../points/points.ts';
import { rangeStatements } from './range-points.ts';

const whole = byKind((kind) => ({ ...compile(selectInOrder(kind, inInterval)), label: 'export_csv' }));

/**
 * A file of the points of `[from, to)`, oldest first. Yields at least one piece, for the header. Reads only as fast as
 * the consumer takes pieces. The query ends when the consumer stops or `signal` aborts.
 *
 * @param offset_db added to each level
 */
export async function* exportPoints(
  db: Database,
  interval: Interval,
  { type, offset_db }: { type: FileType; offset_db: number },
  signal?: AbortSignal,
): AsyncGenerator<FilePiece> {
  if (type === PARQUET_TYPE) {
    const { parquetFile } = await import('../../points/parquet.ts'); // loaded on demand: few requests need it
    yield* parquetFile(linesOf(db, interval, { type: CSV_TYPE, offset_db }, signal));
    return;
  }
  const head = Buffer.from(TEXT_FORMATS[type].head);
  let isFirst = true;
  for await (const { bytes, points } of linesOf(db, interval, { type, offset_db }, signal)) {
    yield { bytes: isFirst ? Buffer.concat([head, bytes]) : bytes, points };
    isFirst = false;
  }
  if (isFirst) yield { bytes: head, points: 0 };
}

async function* linesOf(
  db: Database,
  interval: Interval,
  style: { type: LinesType; offset_db: number },
  signal?: AbortSignal,
): AsyncGenerator<FilePiece> {
  if (db.copyOut)
    for await (const bytes of db.copyOut(whole(style), { ...interval, offset_db: style.offset_db }, signal))
      yield pieceOf(bytes);
  else
    for await (const { lines, count } of linesFrom(
      db,
      rangeStatements,
      { to: interval.to },
      startOf(interval.from),
      style,
    )) {
      signal?.throwIfAborted();
      if (count > 0) yield { bytes: Buffer.from(lines, 'latin1'), points: count };
    }
}
