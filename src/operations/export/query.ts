// Streams the points of an interval as the pieces of a file.
import type { Interval } from '../../contract/instant.ts';
import {
  decimalCommas,
  type FileType,
  NDJSON_TYPE,
  PARQUET_TYPE,
  SEMICOLON_TYPE,
} from '../../contract/media-types.ts';
import { CSV_HEADER } from '../../contract/point.ts';
import type { Database } from '../../database/database.ts';
import { compile } from '../../database/drizzle.ts';
import { linesFrom, startOf } from '../../points/page.ts';
import {
  byOffset,
  csvLines,
  csvPoint,
  type FilePiece,
  inInterval,
  jsonLines,
  jsonPoint,
  type PointText,
  pieceOf,
  selectInOrder,
  wholeOf,
} from '../../points/points.ts';
import { rangeStatements } from '../audio/range/query.ts';

/** A kind of lines: how a database that can stream writes them, and how to convert the points of pages. */
const kindOf = (text: PointText, convert: (lines: string) => string) => ({
  statements: byOffset((levels) => ({
    ...compile(selectInOrder(text(levels), inInterval)),
    label: 'export_csv',
  })),
  convert,
});
const JSON_LINES = kindOf(jsonPoint, jsonLines);
const CSV_LINES = kindOf(csvPoint, csvLines);

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
  const lines = linesOf(db, interval, type === NDJSON_TYPE ? JSON_LINES : CSV_LINES, offset_db, signal);
  if (type === PARQUET_TYPE) {
    const { parquetFile } = await import('../../points/parquet.ts'); // loaded on demand: few requests need it
    yield* parquetFile(lines);
    return;
  }
  const write = (bytes: Buffer) =>
    type === SEMICOLON_TYPE ? Buffer.from(decimalCommas(bytes.toString('latin1')), 'latin1') : bytes;
  const head = Buffer.from(type === NDJSON_TYPE ? '' : `${CSV_HEADER}\n`);
  let isFirst = true;
  for await (const { bytes, points } of lines) {
    yield { bytes: write(isFirst ? Buffer.concat([head, bytes]) : bytes), points };
    isFirst = false;
  }
  if (isFirst) yield { bytes: write(head), points: 0 };
}

async function* linesOf(
  db: Database,
  interval: Interval,
  { statements, convert }: typeof CSV_LINES,
  offset_db: number,
  signal?: AbortSignal,
): AsyncGenerator<FilePiece> {
  // Citus sends nothing of a COPY before it has all rows: 4 million points took longer than a query may
  if (db.copyOut && db.server?.() === undefined) {
    const values = { ...interval, offset_db };
    for await (const bytes of db.copyOut(statements(offset_db), values, signal)) yield pieceOf(bytes);
    return;
  }
  const pages = linesFrom(db, rangeStatements, wholeOf(interval), startOf(interval.from), offset_db);
  for await (const { lines, count } of pages) {
    signal?.throwIfAborted();
    if (count > 0) yield { bytes: Buffer.from(convert(lines), 'latin1'), points: count };
  }
}
