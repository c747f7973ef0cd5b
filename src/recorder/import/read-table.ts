// Reads a table to its end, in constant memory: gives its rows, counts them, and takes note of what is refused.
import { CSV_HEADER } from '../../contract/point.ts';
import { BadInput, interrupted } from '../bad-input.ts';
import { addTime, type PointCount } from '../progress.ts';
import type { RecorderIo } from '../recorder-io.ts';
import type { RereadableFile } from '../sources/readable-twice.ts';
import type { Layout } from './import-options.ts';
import { createLineReader, type LineFault, type LineRow } from './line-reader.ts';
import { openTable, type Table } from './open-table.ts';
import type { Refusals } from './refusals.ts';
import { linesOf } from './text-lines.ts';
import type { TimeReader } from './time-format.ts';

export interface TableCount extends PointCount {
  count: number;
  /** Of its points, those with a value that is stored at the end of its range. */
  clipped: number;
  /** Whether they come oldest first; undefined: they do. */
  isOrdered?: boolean;
  /** Of the levels in the file, before anything is added, those of refused lines too. */
  lowestDb?: number;
  highestDb?: number;
}

export interface Reader {
  /** Undefined for what export.csv writes. */
  readonly foreign: { readonly layout: Layout; readonly times: TimeReader } | undefined;
  /** Takes the lines that are refused; undefined: the first one ends it. */
  readonly refusals: Refusals | undefined;
  /** Shows how far it is. */
  show(done: readonly [bytes: number, ofBytes: number], points: number): void;
}

/**
 * Accepts LF and CRLF, a byte order mark, quoted values, empty lines and a missing last line break.
 *
 * @param read counts the rows, and is whole at the end
 * @throws BadInput naming the first line at fault, and what is allowed there
 */
export async function* readTable(
  file: RereadableFile,
  reader: Reader,
  read: TableCount,
  { signal }: Pick<RecorderIo, 'signal'>,
): AsyncGenerator<string> {
  try {
    if (signal.aborted) throw interrupted();
    await using table = await openTable(file.path, signal);
    yield* rowsOf(table, file, reader, read, signal);
    if (await table.hasChanged()) throw changedWhileRead(file);
  } catch (error) {
    throw signal.aborted ? interrupted() : error;
  }
}

/** As a log that is being written: its last line may be cut. */
export function changedWhileRead({ name }: RereadableFile): BadInput {
  return new BadInput(`${name} changed while it was read: import a copy of it`);
}

async function* rowsOf(
  table: Table,
  { name }: RereadableFile,
  { foreign, refusals, show }: Reader,
  read: TableCount,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const readLine = createLineReader(foreign);
  let number = 0;
  let isEmpty = true;
  for await (const lines of linesOf(table.bytes, signal, table.encoding)) {
    const rows: string[] = [];
    for (const text of lines) {
      number += 1;
      isEmpty &&= text === '' || text === '\r';
      const line = readLine(text, number);
      if (!line) continue;
      note(line, read);
      if (!('fault' in line)) rows.push(line.row);
      else if (!refusals || line.isFinal) throw new BadInput(`${name}, line ${number}: ${line.fault}`);
      else refusals.add(line, name, number);
    }
    if (rows.length > 0) yield `${rows.join('\n')}\n`;
    show(table.done(), read.count);
  }
  if (isEmpty && foreign?.layout.columns.by !== 'place')
    throw new BadInput(
      `${name} is empty; its first line must be the header ${foreign ? 'that --columns names' : CSV_HEADER}`,
    );
}

function note(line: LineRow | LineFault, read: TableCount): void {
  const { givenDb } = line;
  if (givenDb !== undefined) {
    read.lowestDb = Math.min(givenDb, read.lowestDb ?? givenDb);
    read.highestDb = Math.max(givenDb, read.highestDb ?? givenDb);
  }
  if ('fault' in line) return;
  const { time, isClipped } = line;
  if (read.last !== undefined && time < read.last) read.isOrdered = false;
  addTime(read, time);
  if (isClipped) read.clipped += 1;
}
