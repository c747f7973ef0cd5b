// Reads the header of a WAV stream: everything before the first sample, and what it says about the samples.
import { BadInput } from './bad-input.ts';
import type { ByteReader } from './byte-reader.ts';
import { readWavFormat, type WavFormat } from './wav-format.ts';

export interface WavHeader extends WavFormat {
  /** How many bytes of sound follow. Undefined if the writer did not know: the sound ends with the stream. */
  dataBytes: number | undefined;
  /** Where in the file the sound begins, in bytes. */
  headerBytes: number;
  /** When the sound began, as a field recorder says in a bext chunk: such as 2026-01-31T23:59:59, in no zone. */
  began: string | undefined;
}

const KINDS = ['RIFF', 'RIFX', 'RF64', 'BW64'];
const MAX_FORMAT_BYTES = 65_536;
/** Where the date of a bext chunk begins, and where the time after it ends. */
const [BEXT_DATE, BEXT_DATED] = [320, 338];
/**
 * The sizes that writers leave when they cannot seek back: ffmpeg and most others write all ones, sox
 * 0x7ffff000, arecord 2 GiB. Some round down to whole frames.
 */
const SIZES_OF_STREAMS = [0xffffffff, 0x80000000, 0x7fffffff, 0x7fffff00, 0x7ffff000];

/** True when these first bytes (12 are enough) open a WAV stream. */
export function isWav(bytes: Uint8Array): boolean {
  return KINDS.includes(ascii(bytes, 0)) && ascii(bytes, 8) === 'WAVE';
}

/**
 * Reads up to the first sample. Skips chunks that say nothing about the samples.
 *
 * @param name what to call the stream in messages
 * @throws BadInput when it is not WAV, ends too early, or holds sound that cannot be measured
 */
export async function readWavHeader(reader: ByteReader, name: string): Promise<WavHeader> {
  const fault = (detail: string) => new BadInput(`${name} ${detail}`);
  const top = await reader.read(12);
  if (!isWav(top)) throw fault('is not a WAV file');
  const isLittleEndian = ascii(top, 0) !== 'RIFX';
  let headerBytes = 12;
  let format: WavFormat | undefined;
  let longDataBytes: number | undefined;
  let began: string | undefined;

  for (;;) {
    const head = await reader.read(8);
    headerBytes += head.length;
    if (head.length < 8) throw fault('is truncated: it ends before the sound begins');
    const id = ascii(head, 0);
    const size = viewOf(head).getUint32(4, isLittleEndian);
    if (id === 'data') {
      if (!format) throw fault('holds sound, but no fmt chunk before it to say what kind');
      const isOpen = await endsWithStream(size, format.frameBytes, reader);
      return {
        ...format,
        headerBytes,
        began,
        dataBytes: size === 0xffffffff ? longDataBytes : isOpen ? undefined : size,
      };
    }
    let taken = 0;
    if (id === 'fmt ' || id === 'ds64') {
      if (size > MAX_FORMAT_BYTES)
        throw fault(`has a ${id.trim()} chunk of ${size} bytes, which cannot be right`);
      const chunk = await reader.read(size);
      taken = chunk.length;
      if (taken === size && id === 'fmt ') format = readWavFormat(viewOf(chunk), isLittleEndian, fault);
      if (taken === size && id === 'ds64' && size >= 16) longDataBytes = readLongSize(viewOf(chunk));
    } else if (id === 'bext') {
      const chunk = await reader.read(Math.min(size, BEXT_DATED));
      began = readBegan(ascii(chunk, BEXT_DATE, BEXT_DATED));
      taken = chunk.length + (await reader.skip(size - chunk.length));
    } else taken = await reader.skip(size);
    headerBytes += taken;
    if (taken < size) throw fault(`is truncated: it ends inside its ${JSON.stringify(id)} chunk`);
    // RIFF pads a chunk of odd size with a zero byte, which some writers forget.
    if (size % 2 === 1 && (await reader.peek(1))[0] === 0) headerBytes += await reader.skip(1);
  }
}

/** Whether a data size is a placeholder. Zero is one when anything but another chunk follows. */
async function endsWithStream(size: number, frameBytes: number, reader: ByteReader): Promise<boolean> {
  if (size === 0) {
    const next = await reader.peek(4);
    return next.length > 0 && !/^[A-Za-z0-9_ ]{4}$/.test(ascii(next, 0));
  }
  return SIZES_OF_STREAMS.some((streamed) => size <= streamed && streamed - size < frameBytes);
}

/** The size of the sound from a ds64 chunk (EBU Tech 3306); undefined when the writer left it open. */
function readLongSize(view: DataView): number | undefined {
  const size = view.getBigUint64(8, true);
  return size === 0n || size > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(size);
}

/** Of a bext chunk (EBU Tech 3285): OriginationDate and OriginationTime, whose separators may be several characters. */
function readBegan(text: string): string | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})[-_:. ](\d{2})[-_:. ](\d{2})(\d{2})[-_:. ](\d{2})[-_:. ](\d{2})$/.exec(text) ?? [];
  return year && `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function ascii(bytes: Uint8Array, from: number, to = from + 4): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
