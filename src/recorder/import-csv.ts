// The `import` command: loads the CSV that export.csv writes back into the table, all of it or nothing.
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { Command } from 'commander';
import { CsvError, parse } from 'csv-parse';
import { CSV_HEADER } from '../contract/point.ts';
import { BadInput, interrupted } from './bad-input.ts';
import { checkCsvRow } from './check-csv-row.ts';
import { openInput } from './input-file.ts';
import { createTicker, type PointCount, percent } from './progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { storeAll } from './store-all.ts';

const ABOUT = `Loads what GET /api/v1/export/csv writes: the header \`${CSV_HEADER}\`, then a row for each point. \
All of its points are stored, or none. They are added to those that the table holds.`;

const LONGEST_LINE = 4096;
const PIECE_ROWS = 1000;

export function importCommand(open: () => RecorderIo): Command {
  return new Command('import')
    .description(ABOUT)
    .argument('<FILE>', 'a CSV file, or - for standard input')
    .action((path: string) => importCsv(path, open()));
}

/**
 * Reads the file once, in constant memory. Accepts LF and CRLF, a byte order mark, quoted values, empty lines
 * and a missing last line break. A file with only the header stores nothing.
 *
 * @param path `-` is standard input
 * @throws BadInput naming the first line at fault, its column and what is allowed there
 */
export async function importCsv(path: string, io: RecorderIo): Promise<void> {
  await using file = path === '-' ? undefined : await openInput(path);
  const name = file ? path : 'Standard input';
  const loaded: PointCount = { count: 0 };
  await storeAll(readRows(file?.stream ?? io.stdin, file?.size, name, loaded, io), loaded, io);
}

async function* readRows(
  stream: Readable,
  size: number | undefined,
  name: string,
  loaded: PointCount,
  io: RecorderIo,
): AsyncGenerator<string> {
  if (io.signal.aborted) throw interrupted();
  const tick = createTicker(io.progress);
  const parser = createParser(name);
  const rows: AsyncIterable<[row: string]> = parser;
  pipeline(stream, addAbortSignal(io.signal, parser), () => {}); // the parser throws its errors below
  let piece: string[] = [];
  try {
    for await (const [row] of rows) {
      const time = row.slice(0, row.indexOf(','));
      if (loaded.first === undefined || time < loaded.first) loaded.first = time;
      if (loaded.last === undefined || time > loaded.last) loaded.last = time;
      loaded.count += 1;
      if (piece.push(`${row}\n`) < PIECE_ROWS) continue;
      yield piece.join('');
      piece = [];
      const share = size === undefined ? '' : `${percent(parser.info.bytes, size)}, `;
      tick(() => `${share}${loaded.count.toLocaleString('en')} points read`);
    }
  } catch (error) {
    if (io.signal.aborted) throw interrupted();
    throw error instanceof CsvError ? explain(error, name) : error;
  }
  if (parser.info.records === 0)
    throw new BadInput(`${name} is empty; its first line must be the header ${CSV_HEADER}`);
  if (piece.length > 0) yield piece.join('');
}

/** Gives the rows to store. Checks each row as it reads it, so the first fault is the one reported. */
function createParser(name: string) {
  let isHeader = true;
  return parse({
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true, // checkCsvRow reports a wrong count
    record_delimiter: ['\r\n', '\n'],
    max_record_size: LONGEST_LINE,
    on_record(fields: string[], { lines }) {
      if (isHeader) {
        if (fields.join(',') !== CSV_HEADER)
          throw new BadInput(
            `${name}, line ${lines}: the header is ${JSON.stringify(fields.join(',').slice(0, 80))}; it must be ${CSV_HEADER}`,
          );
        isHeader = false;
        return null;
      }
      const read = checkCsvRow(fields);
      if ('fault' in read) throw new BadInput(`${name}, line ${lines}: ${read.fault}`);
      return [read.row];
    },
  });
}

function explain(error: CsvError, name: string): BadInput {
  const { code, lines } = error;
  const what =
    code === 'CSV_MAX_RECORD_SIZE' ? `longer than ${LONGEST_LINE} characters` : 'a stray quotation mark';
  return new BadInput(`${name}, line ${lines}: ${what}`, { cause: error });
}
