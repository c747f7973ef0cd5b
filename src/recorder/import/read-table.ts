// Reads a table to its end, in constant memory: gives its rows, counts them, and takes note of what is refused.
import { addAbortSignal, pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CSV_HEADER } from '../../contract/point.ts';
import { BadInput, interrupted } from '../bad-input.ts';
import { createTicker, type PointCount } from '../progress.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { csvFault, parserOptions } from './csv-lines.ts';
import type { Layout } from './import-options.ts';
import { createForeignReader, createOwnReader, type LineFault, type LineRow } from './line-reader.ts';
import type { TableFile } from './list-tables.ts';
import { openTable } from './open-table.ts';
import type { Refusals } from './refusals.ts';
import type { TimeReader } from './time-format.ts';

const PIECE_ROWS = 1000;

export interface TableCount extends PointCount {
  count: number;
  /** Of its points, those with a value that is stored at the end of its range. */
  clipped: number;
  /** Of the levels in the file, before anything is added, those of refused lines too. */
  lowestDb?: number;
  highestDb?: number;
}

export interface Reader {
  /** Undefined for what export.csv writes. */
  readonly layout: Layout | undefined;
  /** Of all tables that are read one after the other. */
  readonly times: TimeReader | undefined;
  /** Takes the lines that are refused; undefined: the first one ends it. */
  readonly refusals: Refusals | undefined;
}

/**
 * Accepts LF and CRLF, a byte order mark, quoted values, empty lines and a missing last line break.
 *
 * @param read counts the rows, and is whole at the end
 * @throws BadInput naming the first line at fault, and what is allowed there
 */
export async function* readTable(
  { path, name }: TableFile,
  { layout, times, refusals }: Reader,
  read: TableCount,
  io: Pick<RecorderIo, 'signal' | 'status'>,
): AsyncGenerator<string> {
  if (io.signal.aborted) throw interrupted();
  await using table = await openTable(path);
  const readLine = layout && times ? createForeignReader(layout, times) : createOwnReader();
  const parser = parse({
    ...parserOptions(layout, table.head),
    on_record(fields: string[], { lines }) {
      const line = readLine(fields);
      if (!line) return null;
      note(line, read);
      if (!('fault' in line)) return [line.row];
      if (!refusals || line.isFinal) throw new BadInput(`${name}, line ${lines}: ${line.fault}`);
      refusals.add(line, name, lines);
      return null;
    },
  });
  const rows: AsyncIterable<[row: string]> = parser;
  pipeline(table.bytes, addAbortSignal(io.signal, parser), () => {}); // the parser throws its errors below
  const tick = createTicker(io.status);
  let piece: string[] = [];
  try {
    for await (const [row] of rows) {
      if (piece.push(`${row}\n`) < PIECE_ROWS) continue;
      yield piece.join('');
      piece = [];
      tick(() => `${table.share()}${read.count.toLocaleString('en')} points read`);
    }
  } catch (error) {
    if (io.signal.aborted) throw interrupted();
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error;
    throw new BadInput(`${name}, line ${lines}: ${csvFault(error)}`, { cause: error });
  }
  if (parser.info.records === 0 && !layout)
    throw new BadInput(`${name} is empty; its first line must be the header ${CSV_HEADER}`);
  if (piece.length > 0) yield piece.join('');
}

function note(line: LineRow | LineFault, read: TableCount): void {
  const { givenDb } = line;
  if (givenDb !== undefined) {
    read.lowestDb = Math.min(givenDb, read.lowestDb ?? givenDb);
    read.highestDb = Math.max(givenDb, read.highestDb ?? givenDb);
  }
  if ('fault' in line) return;
  const { time, isClipped } = line;
  if (read.first === undefined || time < read.first) read.first = time;
  if (read.last === undefined || time > read.last) read.last = time;
  read.count += 1;
  if (isClipped) read.clipped += 1;
}
