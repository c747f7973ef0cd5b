// Finds and opens text files: decompresses them if needed, and detects their encoding.
import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Duplex, pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import {
  BadInput,
  filesIn,
  isFolder,
  openInput,
  type RereadableFile,
  readableTwice,
} from '../commands/input-files.ts';
import { counted, namesText, shellText } from '../commands/progress.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { createByteReader } from '../recorder/sources/byte-reader.ts';
import { linesOfParquet } from './parquet-lines.ts';

/**
 * Leaves out hidden files of folders, and files that are not tables.
 *
 * @param copies removes the copies of standard input and pipes. @throws BadInput for a folder without tables
 */
export async function listTables(
  paths: readonly string[],
  io: Pick<RecorderIo, 'stdin' | 'signal' | 'progress'>,
  copies: AsyncDisposableStack,
): Promise<RereadableFile[]> {
  if (paths.length > 1 && paths.includes('-'))
    throw new BadInput('- (standard input) cannot be combined with files');
  const list: RereadableFile[] = [];
  for (const path of paths) {
    if (path === '-' || !(await isFolder(path))) {
      list.push(copies.use(await readableTwice(path, io)));
      continue;
    }
    const [tables, others]: [string[], string[]] = [[], []];
    for (const file of await filesIn(path, /./, 'file'))
      ((await isTable(file, io.signal)) ? tables : others).push(file);
    if (tables.length === 0) throw new BadInput(`The folder ${path} has no table, only ${namesText(others)}`);
    if (others.length > 0)
      io.progress(`Left out ${counted(others.length, 'file')} without a table: ${namesText(others)}`);
    list.push(...tables.map((file) => ({ path: file, name: file })));
  }
  return list;
}

/** Whether the first lines are text, and half of them have a digit. */
async function isTable(path: string, signal: AbortSignal): Promise<boolean> {
  try {
    await using table = await openTable(path, signal);
    const isBinary = table.encoding === 'windows-1252' && table.head.includes('\0');
    const lines = table.head.split('\n').filter((line) => line.trim() !== '');
    return !isBinary && 2 * lines.filter((line) => /\d/.test(line)).length >= lines.length;
  } catch (error) {
    if (error instanceof NotText) return false;
    throw error;
  }
}

const SQL =
  'holds SQL commands: load it, and export the table as CSV, such as sqlite3 new.db < FILE; sqlite3 -header -csv new.db "SELECT * FROM TABLE" > table.csv';

/** What files are, and what to type, by what they begin with as Latin-1. */
const NOT_TEXT = {
  'PK\x03\x04':
    'is a spreadsheet (.xlsx) or a ZIP archive: save the spreadsheet as CSV in Excel or LibreOffice, or unpack the archive',
  '\xd0\xcf\x11\xe0': 'is an old Excel spreadsheet (.xls): save it as CSV in Excel or LibreOffice',
  '\xfd7zXZ\0': 'is compressed with xz: type xz -dc FILE | npm run import -- - and the options',
  'BZh91AY&SY': 'is compressed with bzip2: type bzip2 -dc FILE | npm run import -- - and the options',
  '%PDF-': 'is a PDF: export the table as CSV from the program that made it',
  'SQLite format 3':
    'is an SQLite database: type sqlite3 -header -csv FILE "SELECT * FROM TABLE" > table.csv',
  ...{ 'PRAGMA ': SQL, 'BEGIN TRANS': SQL, 'CREATE TABLE': SQL, 'INSERT INTO': SQL },
  ...{ '-- MySQL': SQL, '--\n-- Postgre': SQL },
};
const UNPACK = [
  { head: '\x1f\x8b', create: () => createGunzip({ chunkSize: 2 ** 16 }) },
  { head: '\x28\xb5\x2f\xfd', create: () => createZstdDecompress({ chunkSize: 2 ** 16 }) },
];

class NotText extends BadInput {}

const HEAD_BYTES = 4096;
const LINE_FEED = 10;

export type Table = Awaited<ReturnType<typeof openTable>>;

/** @param signal ends the reading. @throws BadInput with the reason why the file cannot be read */
export async function openTable(path: string, signal: AbortSignal) {
  const file = await openInput(path);
  let done = 0;
  const counted = async function* () {
    for await (const piece of addAbortSignal(signal, file.stream)) {
      done += piece.length;
      yield piece;
    }
  };
  try {
    const raw = createByteReader(counted());
    const magic = Buffer.from(await raw.peek(16)).toString('latin1');
    const other = Object.entries(NOT_TEXT).find(([head]) => magic.startsWith(head));
    if (other) throw new NotText(`${path} ${other[1].replace('FILE', shellText(path))}`);
    const packing = UNPACK.find(({ head }) => magic.startsWith(head));
    const all = raw.pieces(Number.POSITIVE_INFINITY);
    const isParquet = magic.startsWith('PAR1');
    const parquet = () => linesOfParquet(path, (share) => (done = Math.round(share * (file.size ?? 0))));
    const plain = createByteReader(
      isParquet ? parquet() : packing ? unpacked(all, packing.create(), path) : all,
    );
    const head = await plain.peek(HEAD_BYTES);
    const encoding = encodingOf(head);
    return {
      bytes: plain.pieces(Number.POSITIVE_INFINITY),
      encoding,
      /** The first lines. */
      head: new TextDecoder(encoding).decode(head),
      /** How many bytes have been read, and how many there are. */
      done: () => [done, file.size ?? done] as const,
      /** Whether the file's size differs from what was read. */
      hasChanged: async () => (await stat(path)).size !== done,
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Detects the encoding from the first lines, which name the columns. UTF-16 begins with a mark, or has a zero byte in
 * each letter. Text that is not UTF-8 is taken for windows-1252, which Windows writes in Europe and America.
 */
function encodingOf(head: Uint8Array): string {
  const start = Buffer.from(head.subarray(0, 2)).toString('latin1'); // two zeros: a block from a power cut
  if (/^(?:\xff\xfe|[^\0]\0)/.test(start)) return 'utf-16le';
  if (/^(?:\xfe\xff|\0[^\0])/.test(start)) return 'utf-16be';
  const lines = head.subarray(0, head.lastIndexOf(LINE_FEED) + 1); // the last one may be cut inside a letter
  return isUtf8(lines) ? 'utf-8' : 'windows-1252';
}

async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  unpacking: Duplex,
  path: string,
): AsyncGenerator<Uint8Array> {
  pipeline(Readable.from(packed), unpacking, () => {}); // thrown below
  try {
    yield* unpacking;
  } catch (cause) {
    throw new BadInput(`${path} cannot be decompressed: it is damaged or incomplete`, { cause });
  }
}
