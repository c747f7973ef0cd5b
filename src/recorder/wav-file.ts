// Opens a WAV file and gives its sound, once, in constant memory.
import { BadInput } from './bad-input.ts';
import { type ByteReader, createByteReader } from './byte-reader.ts';
import { openInput } from './input-file.ts';
import type { Reading, SoundFile } from './sound-file.ts';
import { readWavHeader, skipChunks, type WavHeader } from './wav-header.ts';

export interface WavFile extends SoundFile {
  readonly header: WavHeader;
}

/** @throws BadInput when the file cannot be read, is no WAV file, or is shorter than its header promises */
export async function openWav(path: string, reading: Reading): Promise<WavFile> {
  const file = await openInput(path);
  try {
    const reader = createByteReader(file.stream);
    const header = await readWavHeader(reader, path);
    const { dataBytes, isOpen, headerBytes, began } = header;
    const held = file.size === undefined ? undefined : file.size - headerBytes;
    const isShort = held !== undefined && held < dataBytes;
    if (isShort && !isOpen && reading.reach === undefined) throw truncated(path, dataBytes, held);
    return {
      header,
      saysLength: !isOpen || held === dataBytes,
      size: isOpen || isShort || reading.reach === 'whole' ? held : dataBytes,
      began,
      sound: () => soundOf(reader, header, { ...reading, name: path, held }),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

interface Stream extends Reading {
  readonly name: string;
  /** How many bytes of sound the file can hold; undefined for a pipe. */
  readonly held?: number | undefined;
  readonly signal?: AbortSignal;
}

/** @throws BadInput if the stream holds less or more than its header says, unless the reading allows that */
export async function* soundOf(
  reader: ByteReader,
  header: WavHeader,
  { name, held, reach, say, signal }: Stream,
): AsyncGenerator<Uint8Array> {
  const { dataBytes, isOpen } = header;
  let bytes = 0;
  for await (const piece of reader.pieces(dataBytes)) {
    bytes += piece.length;
    yield piece;
  }
  if (signal?.aborted || (isOpen && bytes < dataBytes)) return;
  if (bytes < dataBytes) {
    const fault = truncated(name, dataBytes, held, bytes);
    if (reach === undefined) throw fault;
    return say(`Warning: ${fault.message}`);
  }
  if (await skipChunks(reader, header)) return;
  const more = held === undefined ? 'more' : held - dataBytes;
  const fault = `${name}: the header says ${dataBytes} bytes of sound, and ${more} bytes follow that are no chunks, as after a crash or beyond 4 GiB`;
  if (!isOpen && reach === undefined)
    throw new BadInput(`${fault}. --whole measures them too, --partial leaves them out`);
  if (!isOpen) say(`Warning: ${fault}`);
  if (isOpen || reach === 'whole') yield* reader.pieces(Number.POSITIVE_INFINITY);
}

function truncated(name: string, promised: number, held: number | undefined, came = held): BadInput {
  const found = held === undefined ? `${came} came` : `the file holds ${held}: --partial measures those`;
  return new BadInput(`${name} is truncated: the header promises ${promised} bytes of sound, ${found}`);
}
