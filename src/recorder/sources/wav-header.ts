// Reads the header of a WAV stream: everything before the first sample.
import { BadInput } from '../../commands/input-files.ts';
import { bytesPerSample, isSampleFormat, type SoundFormat } from '../../sound/sample-format.ts';
import type { ByteReader } from './byte-reader.ts';

interface WavFormat extends SoundFormat {
  readonly frameBytes: number;
}

export interface WavLength {
  dataBytes: number;
  /** Whether `dataBytes` may be a placeholder: the sound may end earlier, or continue to the end of the stream. */
  isOpen: boolean;
  headerBytes: number;
  isLittleEndian: boolean;
}

export interface WavHeader extends WavFormat, WavLength {
  /** The start from a field recorder's bext chunk, without a zone, such as 2026-01-31T23:59:59. */
  began: string | undefined;
  /** The zone of the recorder's clock, from an AudioMoth comment, such as +01:00. */
  zone: string | undefined;
}

/** The sound has a codec or a layout that only a decoder may know. */
export class NotPcm extends BadInput {
  length: WavLength | undefined;
}

const KINDS = ['RIFF', 'RIFX', 'RF64', 'BW64'];
/** The chunks that are read before the sound; others are skipped. */
const READ = ['fmt ', 'ds64', 'bext', 'LIST'];
const MAX_CHUNK_BYTES = 65_536;
/** Where the date begins in a bext chunk, and where the time after it ends. */
const [BEXT_DATE, BEXT_DATED] = [320, 338];
/** Writers that cannot seek back leave 0, or at least this: GStreamer 0x7fff0000, arecord 2 GiB, ffmpeg all ones. */
const LEAST_PLACEHOLDER = 2 ** 31 - 2 ** 16;

/** True if these first bytes (12 are enough) begin a WAV stream. */
export const isWav = (bytes: Uint8Array) => KINDS.includes(ascii(bytes, 0)) && ascii(bytes, 8) === 'WAVE';

/**
 * Reads up to the first sample. Skips chunks that do not describe the samples.
 *
 * @param name the name of the stream in messages
 * @throws BadInput if it is not WAV, ends too early, or holds sound that cannot be measured
 */
export async function readWavHeader(reader: ByteReader, name: string): Promise<WavHeader> {
  const fault = (detail: string) => new BadInput(`${name} ${detail}`);
  const top = await reader.read(12);
  if (!isWav(top)) throw fault('is not a WAV file');
  const isLittleEndian = ascii(top, 0) !== 'RIFX';
  let headerBytes = 12;
  let format: WavFormat | NotPcm | undefined;
  let longDataBytes: number | undefined;
  let began: string | undefined;
  let zone: string | undefined;

  for (;;) {
    const head = await reader.read(8);
    headerBytes += head.length;
    if (head.length < 8) throw fault('is truncated: it ends before the sound begins');
    const id = ascii(head, 0);
    const size = viewOf(head).getUint32(4, isLittleEndian);
    if (id === 'data') {
      if (!format) throw fault('holds sound, but no fmt chunk before it to describe the format');
      const long = size === 0xffffffff ? longDataBytes : undefined;
      const isEmpty = size === 0 && isChunkId(ascii(await reader.peek(4), 0));
      const isOpen = long === undefined && !isEmpty && (size === 0 || size >= LEAST_PLACEHOLDER);
      const length = { headerBytes, isLittleEndian, isOpen, dataBytes: long ?? size };
      if (format instanceof NotPcm) throw Object.assign(format, { length });
      return { ...format, ...length, began, zone };
    }
    if (size > MAX_CHUNK_BYTES && (id === 'fmt ' || id === 'ds64'))
      throw fault(`has a ${id.trim()} chunk of ${size} bytes, which cannot be right`);
    const chunk = await reader.read(READ.includes(id) ? Math.min(size, MAX_CHUNK_BYTES) : 0);
    const taken = chunk.length + (await reader.skip(size - chunk.length));
    headerBytes += taken;
    if (taken < size) throw fault(`is truncated: it ends inside its ${JSON.stringify(id)} chunk`);
    const text = Buffer.from(chunk).toString('latin1');
    if (id === 'fmt ') format = readWavFormat(viewOf(chunk), isLittleEndian, name);
    else if (id === 'ds64' && size >= 16) longDataBytes = readLongSize(viewOf(chunk));
    else if (id === 'bext') began = readBegan(text.slice(BEXT_DATE, BEXT_DATED));
    else if (id === 'LIST') ({ began, zone } = readComment(text) ?? { began, zone });
    // RIFF pads chunks of odd size with a zero byte, which some writers forget
    if (size % 2 === 1 && (await reader.peek(1))[0] === 0) headerBytes += await reader.skip(1);
  }
}

const PCM = 0x0001;
const FLOAT = 0x0003;
const EXTENSIBLE = 0xfffe;
const HIGHEST_RATE_HZ = 1_000_000;

/** Codecs other than PCM that recorders write, by format tag. */
const CODECS = new Map([
  [0x0002, 'Microsoft ADPCM'],
  [0x0006, 'A-law'],
  [0x0007, 'mu-law'],
  [0x0011, 'IMA ADPCM'],
  [0x0055, 'MP3'],
]);
/** The rest of an extensible format's GUID, after the format tag: 0000-0010-8000-00AA00389B71. */
const GUID_REST = [0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71];

/** @returns NotPcm if a decoder may know the format. @throws BadInput if no decoder could */
function readWavFormat(view: DataView, little: boolean, name: string): WavFormat | NotPcm {
  const fault = (detail: string) => new BadInput(`${name} ${detail}`);
  const other = (detail: string) => new NotPcm(`${name} ${detail}, which needs ffmpeg to decode`);
  if (view.byteLength < 16) throw fault(`has a fmt chunk of ${view.byteLength} bytes, which is too short`);
  const channels = view.getUint16(2, little);
  const rateHz = view.getUint32(4, little);
  const frameBytes = view.getUint16(12, little);
  const bits = view.getUint16(14, little);
  let codec = view.getUint16(0, little);
  if (codec === EXTENSIBLE) {
    if (view.byteLength < 40) throw fault('has an extensible fmt chunk without its second part');
    const isKnown = GUID_REST.every((byte, i) => view.getUint8(28 + i) === byte);
    if (!isKnown) return other('holds sound in an unknown codec');
    codec = view.getUint32(24, little);
  }
  if (codec !== PCM && codec !== FLOAT) {
    const codecName = CODECS.get(codec) ?? `codec 0x${codec.toString(16).padStart(4, '0')}`;
    return other(`holds ${codecName} sound`);
  }
  if (channels === 0) throw fault('has 0 channels in its header');
  if (rateHz === 0 || rateHz > HIGHEST_RATE_HZ)
    throw fault(`has ${rateHz} samples per second in its header; 1 to ${HIGHEST_RATE_HZ} are possible`);
  const sampleBytes = Math.ceil(bits / 8); // 12 or 20 bits fill the upper bits of two or three bytes
  const isPadded = sampleBytes === 3 && frameBytes === 4 * channels; // as arecord writes S24_LE
  const size = `${8 * sampleBytes}${isPadded ? '_32' : ''}${little ? 'le' : 'be'}`;
  const integer = sampleBytes === 1 ? 'u8' : `s${size}`;
  const format = codec === PCM ? integer : `f${size}`;
  if (!isSampleFormat(format))
    throw fault(`holds ${codec === PCM ? 'PCM' : 'float'} samples of ${bits} bits, which are not supported`);
  if (frameBytes !== channels * bytesPerSample(format))
    return other(
      `contradicts itself: ${channels} channels of ${bits} bits take ${channels * sampleBytes} bytes, but its block align is ${frameBytes}`,
    );
  return { rateHz, channels, format, frameBytes };
}

/** The size of the sound from a ds64 chunk (EBU Tech 3306); undefined if the writer left it open. */
function readLongSize(view: DataView): number | undefined {
  const size = view.getBigUint64(8, true);
  return size === 0n || size > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(size);
}

/** Reads OriginationDate and OriginationTime of a bext chunk (EBU Tech 3285). Writers use different separators. */
function readBegan(text: string): string | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})[-_:. ](\d{2})[-_:. ](\d{2})(\d{2})[-_:. ](\d{2})[-_:. ](\d{2})$/.exec(text) ?? [];
  return year && `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

/** Reads an AudioMoth comment, such as `Recorded at 20:15:00 12/11/2026 (UTC+1) by AudioMoth`. */
function readComment(text: string): Pick<WavHeader, 'began' | 'zone'> | undefined {
  const [, time, day, month, year, sign = '+', hours = '0', minutes = '00'] =
    /Recorded at ([\d:.]{8,}) (\d\d)\/(\d\d)\/(\d{4}) \(UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?\)/.exec(text) ??
    [];
  return time === undefined
    ? undefined
    : { began: `${year}-${month}-${day}T${time}`, zone: `${sign}${hours.padStart(2, '0')}:${minutes}` };
}

/** Skips the chunks after the sound. @returns whether at most a few other bytes follow them */
export async function skipChunks(reader: ByteReader, header: WavLength): Promise<boolean> {
  for (let size = header.dataBytes; ; ) {
    const pad = size % 2 === 1 && (await reader.peek(1))[0] === 0 ? 1 : 0;
    const head = (await reader.peek(pad + 8)).subarray(pad);
    if (head.length < 8) return true;
    const id = ascii(head, 0);
    if (!isChunkId(id) || id === 'data') return false;
    size = viewOf(head).getUint32(4, header.isLittleEndian);
    if ((await reader.skip(pad + 8 + size)) < pad + 8 + size) return false;
  }
}

const isChunkId = (id: string) => /^[A-Za-z0-9_ ]{4}$/.test(id);

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const ascii = (bytes: Uint8Array, from: number, to = from + 4): string =>
  String.fromCharCode(...bytes.subarray(from, to));
