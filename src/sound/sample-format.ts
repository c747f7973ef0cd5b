// Decodes bytes into samples: knows the PCM encodings, and separates, chooses and combines the channels.
import { BadInput } from '../commands/input-files.ts';

interface Encoding {
  bytes: number;
  /** Whether a value may be infinite or NaN. */
  isFloat?: true;
  /** Returns -1..1 at full scale, or a number that is not finite if the bytes cannot be a sample. */
  read(view: DataView, offset: number): number;
}

/** The encodings by their ffmpeg names. */
const ENCODINGS = {
  u8: { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) / 2 ** 7 },
  s8: { bytes: 1, read: (view, at) => view.getInt8(at) / 2 ** 7 },
  s16le: { bytes: 2, read: (view, at) => view.getInt16(at, true) / 2 ** 15 },
  s16be: { bytes: 2, read: (view, at) => view.getInt16(at) / 2 ** 15 },
  s24le: { bytes: 3, read: int24le },
  s24be: { bytes: 3, read: int24be },
  s24_32le: { bytes: 4, read: (view, at) => (isPad(view.getInt8(at + 3)) ? int24le(view, at) : Number.NaN) },
  s24_32be: { bytes: 4, read: (view, at) => (isPad(view.getInt8(at)) ? int24be(view, at + 1) : Number.NaN) },
  s32le: { bytes: 4, read: (view, at) => view.getInt32(at, true) / 2 ** 31 },
  s32be: { bytes: 4, read: (view, at) => view.getInt32(at) / 2 ** 31 },
  f32le: { bytes: 4, isFloat: true, read: (view, at) => view.getFloat32(at, true) },
  f32be: { bytes: 4, isFloat: true, read: (view, at) => view.getFloat32(at) },
  f64le: { bytes: 8, isFloat: true, read: (view, at) => view.getFloat64(at, true) },
  f64be: { bytes: 8, isFloat: true, read: (view, at) => view.getFloat64(at) },
} satisfies Record<string, Encoding>;

function int24le(view: DataView, at: number): number {
  return (view.getInt8(at + 2) * 2 ** 16 + view.getUint16(at, true)) / 2 ** 23;
}

function int24be(view: DataView, at: number): number {
  return (view.getInt8(at) * 2 ** 16 + view.getUint16(at + 1)) / 2 ** 23;
}

/** In a 24-bit sample in four bytes, the top byte is zero or the sign. */
function isPad(byte: number): boolean {
  return byte === 0 || byte === -1;
}

export type SampleFormat = keyof typeof ENCODINGS;

export interface SoundFormat {
  readonly rateHz: number;
  readonly format: SampleFormat;
  readonly channels: number;
}

export const SAMPLE_FORMATS = Object.keys(ENCODINGS).filter(isSampleFormat);

export function isSampleFormat(name: string): name is SampleFormat {
  return Object.hasOwn(ENCODINGS, name);
}

/** @returns the format of an ffmpeg or ALSA name, such as ALSA's S24_LE, which is 24 bits in four bytes */
export function parseSampleFormat(text: string): SampleFormat | undefined {
  const name = text
    .toLowerCase()
    .replace(/^float(?:64)?/, (float) => (float === 'float' ? 'f32' : 'f64'))
    .replace(/^s24_(?=[lb]e$)/, 's24_32')
    .replace(/_3?(?=[lb]e$)/, '');
  return isSampleFormat(name) ? name : undefined;
}

export function bytesPerSample(format: SampleFormat): number {
  return ENCODINGS[format].bytes;
}

/** @returns the formats of three or four bytes whose sound seems to arrive at this pace if read as the given one */
export function formatsAtPace(format: SampleFormat, pace: number, tolerance: number): string[] {
  const bytes = bytesPerSample(format);
  const isLikely = Math.abs((pace * bytes) / (7 - bytes) - 1) < tolerance;
  return SAMPLE_FORMATS.filter((name) => isLikely && bytesPerSample(name) === 7 - bytes)
    .filter((name) => name.endsWith(format.slice(-2)))
    .map((name) =>
      name.startsWith('s24')
        ? `${name} (ALSA's S24_${bytes === 4 ? '3' : ''}${name.slice(-2).toUpperCase()})`
        : name,
    );
}

export interface FullScale {
  /** The largest magnitude that both signs reach. */
  readonly highest: number;
  /** The gap between neighbouring values; 0 if it is too small to matter. */
  readonly step: number;
}

/** 32-bit integers count as 24-bit: sound cards have no more, and fill the upper bits. */
export function fullScaleOf(format: SampleFormat): FullScale {
  const { bytes, isFloat }: Encoding = ENCODINGS[format];
  const step = isFloat ? 0 : 2 ** (1 - 8 * Math.min(3, bytes));
  return { highest: 1 - step, step };
}

/**
 * @param picked the channels to read, counted from 0; all unless given
 * @returns a function that takes bytes in pieces of any size and returns, for each channel, the samples of the frames
 * that they complete. It throws BadInput with the frame number for a float that is infinite or NaN.
 */
export function createDecoder(format: SampleFormat, channels: number, picked?: readonly number[]) {
  const { bytes: sampleBytes, isFloat, read }: Encoding = ENCODINGS[format];
  const frameBytes = sampleBytes * channels;
  const offsets = (picked ?? Array.from({ length: channels }, (_, c) => c)).map((c) => c * sampleBytes);
  let rest = new Uint8Array(0);
  let framesBefore = 0;

  function readChannel(view: DataView, first: number, frames: number): Float32Array {
    const samples = new Float32Array(frames);
    for (let frame = 0, offset = first; frame < frames; frame++, offset += frameBytes) {
      samples[frame] = read(view, offset);
      if (!Number.isFinite(samples[frame]))
        throw new BadInput(
          `frame ${framesBefore + frame} of the sound holds a value that is not ${isFloat ? 'a finite number' : `24 bits in four bytes, ${format}: it may be 32 bits, or 24 bits in three`}`,
        );
    }
    return samples;
  }

  return (piece: Uint8Array): Sound => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const frames = Math.floor(bytes.length / frameBytes);
    const sound = offsets.map((offset) => readChannel(view, offset, frames));
    framesBefore += frames;
    rest = bytes.slice(frames * frameBytes);
    return sound;
  };
}

/** A channel, counted from 1; the mean of all energies; or the loudest channel in each window. */
export type ChannelChoice = number | 'mean' | 'max';

/** The samples of each channel, -1..1 at full scale, equally many per channel. */
export type Sound = readonly Float32Array[];

/** The form of a channel as text. */
export const CHANNEL = {
  allowed: 'a channel from 1 to 64, mean or max',
  parse(text: string): ChannelChoice | undefined {
    if (text === 'mean' || text === 'max') return text;
    const channel = /^\d{1,2}$/.test(text) ? Number(text) : 0;
    return channel >= 1 && channel <= 64 ? channel : undefined;
  },
};

/** @returns the fault, if the sound lacks the chosen channel */
export function channelFault(choice: ChannelChoice, channels: number): string | undefined {
  if (typeof choice !== 'number' || choice <= channels) return undefined;
  return channels === 1
    ? `"${choice}" is not allowed; the sound has one channel, so it must be 1, mean or max`
    : `"${choice}" is not allowed; the sound has ${channels} channels, so it must be 1 to ${channels}, mean or max`;
}

/** @returns the channels to measure, counted from 0. @throws BadInput if the sound lacks the channel */
export function pickChannels(choice: ChannelChoice, channels: number): readonly number[] {
  const fault = channelFault(choice, channels);
  if (fault) throw new BadInput(`--channel: ${fault}`);
  return typeof choice === 'number' ? [choice - 1] : Array.from({ length: channels }, (_, c) => c);
}

/** The highest power with `max`, otherwise the mean. */
export function mixPowers(choice: ChannelChoice, powers: readonly number[]): number {
  if (choice === 'max') return Math.max(...powers);
  return powers.reduce((sum, power) => sum + power, 0) / powers.length;
}
