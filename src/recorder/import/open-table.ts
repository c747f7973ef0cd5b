// Opens a file of lines: unpacks it where it is compressed, and looks at its first lines.
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadInput } from '../bad-input.ts';
import { createByteReader } from '../byte-reader.ts';
import { openInput } from '../input-file.ts';
import { percent } from '../progress.ts';

export interface Table extends AsyncDisposable {
  readonly name: string;
  readonly bytes: Readable;
  /** The first lines. */
  readonly head: string;
  /** How much is read, such as `12 %, `; empty for a pipe. */
  share(): string;
}

const HEAD_BYTES = 65_536;

/** @throws BadInput that says why it cannot be read */
export async function openTable(path: string): Promise<Table> {
  const file = await openInput(path);
  let done = 0;
  const counted = async function* () {
    for await (const piece of file.stream) {
      done += piece.length;
      yield piece;
    }
  };
  try {
    const raw = createByteReader(counted());
    const isGzip = Buffer.from(await raw.peek(2)).equals(Buffer.of(0x1f, 0x8b));
    const all = raw.pieces(Number.POSITIVE_INFINITY);
    const plain = isGzip ? createByteReader(unpacked(all, path)) : createByteReader(all);
    const head = await plain.peek(HEAD_BYTES);
    const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : 'utf-8';
    return {
      name: path,
      bytes: Readable.from(plain.pieces(Number.POSITIVE_INFINITY), { objectMode: false }),
      head: new TextDecoder(encoding).decode(head),
      share: () => (file.size === undefined ? '' : `${percent(done, file.size)}, `),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

async function* unpacked(packed: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  pipeline(Readable.from(packed), gunzip, () => {}); // what fails is thrown below
  try {
    yield* gunzip;
  } catch (cause) {
    throw new BadInput(`${path} cannot be unpacked: it is damaged, or not whole`, { cause });
  }
}
