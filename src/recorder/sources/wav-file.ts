// Opens a sound file, and reads its sound once, in constant memory. A decoder reads all but WAV.
import { stat } from 'node:fs/promises';
import { BadInput, openInput } from '../../commands/input-files.ts';
import { type ByteReader, createByteReader } from './byte-reader.ts';
import { openDecoded } from './decoded-file.ts';
import type { SoundFile, SoundReading } from './sound-file.ts';
import { isWav, NotPcm, readWavHeader, skipChunks, type WavHeader, type WavLength } from './wav-header.ts';

export interface WavFile extends SoundFile {
  readonly header: WavHeader;
}

/**
 * A block that AudioMoth writes for omitted sound in a triggered recording: the number of omitted buffers, encoded as
 * 32 samples of 1 or -1, then zeros up to 512 bytes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes as text
const LEFT_OUT = /(?:\x01\0|\xff\xff){32}\0{448}/;

/** @throws BadInput if the file cannot be read, is not WAV, or is shorter than its header promises */
export async function openWav(path: string, reading: SoundReading): Promise<WavFile> {
  const file = await openInput(path);
  const reader = createByteReader(file.stream);
  const read = (length: WavLength) => soundOf(reader, length, { ...reading, name: path, size: file.size });
  try {
    const header = await readWavHeader(reader, path);
    const { dataBytes, isOpen, headerBytes, began, zone } = header;
    const held = file.size === undefined ? undefined : file.size - headerBytes;
    const isShort = held !== undefined && held < dataBytes;
    if (isShort && !isOpen && reading.reach === undefined) throw truncated(path, dataBytes, held);
    return {
      header,
      saysLength: !isOpen || held === dataBytes,
      size: isOpen || isShort || reading.reach === 'whole' ? held : dataBytes,
      began,
      zone,
      sound: () => (zone === undefined ? read(header) : untriggered(read(header), path)),
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  } catch (error) {
    await using _file = file;
    // a decoder does not report a wrong length
    if (error instanceof NotPcm && error.length) for await (const _ of read(error.length));
    throw error;
  }
}

interface Stream extends SoundReading {
  readonly name: string;
  /** The size of the file in bytes; undefined for a pipe. */
  readonly size?: number | undefined;
  readonly signal?: AbortSignal;
}

/** @throws BadInput if the stream holds less or more than its header says, unless the reading allows that */
export async function* soundOf(
  reader: ByteReader,
  header: WavLength,
  { name, size, reach, say, signal }: Stream,
): AsyncGenerator<Uint8Array> {
  const { dataBytes, isOpen } = header;
  const held = size === undefined ? undefined : size - header.headerBytes;
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
  const fault = `${name}: the header says ${dataBytes} bytes of sound, but ${more} bytes follow that are not chunks, as after a crash or beyond 4 GiB`;
  if (!isOpen && reach === undefined)
    throw new BadInput(`${fault}. --whole measures them too, --partial ignores them`);
  if (!isOpen) say(`Warning: ${fault}`);
  if (isOpen || reach === 'whole') yield* reader.pieces(Number.POSITIVE_INFINITY);
}

function truncated(name: string, promised: number, held: number | undefined, came = held): BadInput {
  const found = held === undefined ? `${came} arrived` : `the file holds ${held}: --partial measures those`;
  return new BadInput(`${name} is truncated: the header promises ${promised} bytes of sound, but ${found}`);
}

/** @throws BadInput at the first block that stands for omitted sound */
async function* untriggered(sound: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  let last = '';
  for await (const piece of sound) {
    const text = last + Buffer.from(piece).toString('latin1');
    if (LEFT_OUT.test(text))
      throw new BadInput(
        `${path} is a triggered AudioMoth recording. It omits quiet sound, so its times are wrong: expand it in the AudioMoth Configuration App, one file per event, and record those files`,
      );
    last = text.slice(-511);
    yield piece;
  }
}

/** @throws BadInput if the file cannot be read, or holds no sound that can be measured */
export async function openSound(path: string, reading: SoundReading): Promise<SoundFile> {
  const status = await stat(path).catch(() => undefined);
  if (status && !status.isFile()) return openWav(path, reading); // a pipe can be opened and read only once
  if (!(await beginsAsWav(path))) return openDecoded(path, `${path} is not a WAV file`, reading);
  try {
    return await openWav(path, reading);
  } catch (error) {
    if (!(error instanceof NotPcm)) throw error;
    const file = await openDecoded(path, error.message, reading);
    reading.say(`${error.message}.`);
    return file;
  }
}

/** A file too short for a header counts as WAV, because the WAV reader reports such files. */
async function beginsAsWav(path: string): Promise<boolean> {
  await using file = await openInput(path);
  const head = await createByteReader(file.stream).peek(12);
  return head.length < 12 || isWav(head);
}
