// Finds and opens text files: decompresses them if needed, and detects their encoding.
import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  BadInput,
  type Encoding,
  filesIn,
  isFolder,
  openInput,
  type RereadableFile,
  readableTwice,
} from '../commands/input-files.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { createByteReader } from '../recorder/sources/byte-reader.ts';

const TABLE = /\.(csv|tsv|txt|log|dat)(\.gz)?$/i;
const ENDINGS = 'in .csv, .tsv, .txt, .log or .dat, optionally followed by .gz';

/** @param copies removes the copies of standard input and pipes. @throws BadInput for a folder without such files */
export async function listTables(
  paths: readonly string[],
  io: Pick<RecorderIo, 'stdin' | 'signal'>,
  copies: AsyncDisposableStack,
): Promise<RereadableFile[]> {
  if (paths.length > 1 && paths.includes('-'))
    throw new BadInput('- (standard input) cannot be combined with files');
  const list: RereadableFile[] = [];
  for (const path of paths) {
    if (path !== '-' && (await isFolder(path))) {
      const files = await filesIn(path, TABLE, `file whose name ends ${ENDINGS}`);
      list.push(...files.map((file) => ({ path: file, name: file })));
    } else list.push(copies.use(await readableTwice(path, io)));
  }
  return list;
}

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
    const isGzip = startsWith(await raw.peek(2), 0x1f, 0x8b);
    if (startsWith(await raw.peek(4), 0x50, 0x4b, 0x03, 0x04))
      throw new BadInput(
        `${path} is a spreadsheet (.xlsx) or a ZIP archive: save the spreadsheet as CSV in Excel or LibreOffice, or unpack the archive`,
      );
    if (startsWith(await raw.peek(4), 0xd0, 0xcf, 0x11, 0xe0))
      throw new BadInput(
        `${path} is an old Excel spreadsheet (.xls): save it as CSV in Excel or LibreOffice`,
      );
    const all = raw.pieces(Number.POSITIVE_INFINITY);
    const plain = createByteReader(isGzip ? unpacked(all, path) : all);
    const encoding = encodingOf(await plain.peek(HEAD_BYTES));
    return {
      bytes: plain.pieces(Number.POSITIVE_INFINITY),
      encoding,
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
function encodingOf(head: Uint8Array): Encoding {
  const [isFirstZero, isSecondZero] = [head[0] === 0, head[1] === 0]; // both: a block of zeros from a power cut
  if (startsWith(head, 0xff, 0xfe) || (isSecondZero && !isFirstZero)) return 'utf-16le';
  if (startsWith(head, 0xfe, 0xff) || (isFirstZero && !isSecondZero)) return 'utf-16be';
  const lines = head.subarray(0, head.lastIndexOf(LINE_FEED) + 1); // the last one may be cut inside a letter
  return isUtf8(lines) ? 'utf-8' : 'windows-1252';
}

const startsWith = (head: Uint8Array, ...bytes: number[]) =>
  bytes.every((byte, index) => head[index] === byte);

async function* unpacked(packed: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 2 ** 16 });
  pipeline(Readable.from(packed), gunzip, () => {}); // thrown below
  try {
    yield* gunzip;
  } catch (cause) {
    throw new BadInput(`${path} cannot be decompressed: it is damaged or incomplete`, { cause });
  }
}
