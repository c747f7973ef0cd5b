// Reads the fmt chunk of a WAV file: rate, channels and encoding, or what is wrong with them.
import { BadInput } from '../bad-input.ts';
import { bytesPerSample, type SampleFormat } from './sample-format.ts';

export interface WavFormat {
  rateHz: number;
  channels: number;
  format: SampleFormat;
  frameBytes: number;
}

export interface WavLength {
  /** How many bytes of sound follow, as the writer says. */
  dataBytes: number;
  /** Whether that may be a placeholder: the sound may end before, or go on to the end of the stream. */
  isOpen: boolean;
  headerBytes: number;
  isLittleEndian: boolean;
}

const PCM = 0x0001;
const FLOAT = 0x0003;
const EXTENSIBLE = 0xfffe;
const HIGHEST_RATE_HZ = 1_000_000;

/** What recorders write beside PCM, by its format tag. */
const CODECS = new Map([
  [0x0002, 'Microsoft ADPCM'],
  [0x0006, 'A-law'],
  [0x0007, 'mu-law'],
  [0x0011, 'IMA ADPCM'],
  [0x0055, 'MP3'],
]);
/** The rest of an extensible format's GUID, after the format tag: 0000-0010-8000-00AA00389B71. */
const GUID_REST = [0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71];

const FORMATS: Record<string, [little: SampleFormat, big: SampleFormat]> = {
  'pcm 1': ['u8', 'u8'],
  'pcm 2': ['s16le', 's16be'],
  'pcm 3': ['s24le', 's24be'],
  'pcm 4': ['s32le', 's32be'],
  'float 4': ['f32le', 'f32be'],
  'float 8': ['f64le', 'f64be'],
};

/** The sound is in a codec or a layout that only a decoder may know. */
export class NotPcm extends BadInput {
  length: WavLength | undefined;
}

/**
 * @param name what to call the stream in messages
 * @returns NotPcm, or throws BadInput if no decoder could know better
 */
export function readWavFormat(view: DataView, little: boolean, name: string): WavFormat | NotPcm {
  const fault = (detail: string) => new BadInput(`${name} ${detail}`);
  const other = (detail: string) => new NotPcm(`${name} ${detail}: ffmpeg or sox decodes it`);
  if (view.byteLength < 16) throw fault(`has a fmt chunk of ${view.byteLength} bytes, which is too short`);
  const channels = view.getUint16(2, little);
  const rateHz = view.getUint32(4, little);
  const frameBytes = view.getUint16(12, little);
  const bits = view.getUint16(14, little);
  let codec = view.getUint16(0, little);
  if (codec === EXTENSIBLE) {
    if (view.byteLength < 40) throw fault('has an extensible fmt chunk without its second part');
    const isKnown = GUID_REST.every((byte, i) => view.getUint8(28 + i) === byte);
    if (!isKnown) return other('holds sound in a codec that is not known');
    codec = view.getUint32(24, little);
  }
  if (codec !== PCM && codec !== FLOAT) {
    const codecName = CODECS.get(codec) ?? `codec 0x${codec.toString(16).padStart(4, '0')}`;
    return other(`holds ${codecName} sound`);
  }
  if (channels === 0) throw fault('says that it has no channels');
  if (rateHz === 0 || rateHz > HIGHEST_RATE_HZ)
    throw fault(`says that it has ${rateHz} samples a second; 1 to ${HIGHEST_RATE_HZ} can be`);
  const sampleBytes = Math.ceil(bits / 8); // 12 or 20 bits fill the upper bits of two or three bytes
  const names = FORMATS[`${codec === PCM ? 'pcm' : 'float'} ${sampleBytes}`];
  if (!names)
    throw fault(`holds ${codec === PCM ? 'PCM' : 'float'} samples of ${bits} bits, which are not measured`);
  const isPadded = sampleBytes === 3 && frameBytes === 4 * channels; // as arecord writes S24_LE
  const format = isPadded ? (little ? 's24_32le' : 's24_32be') : names[little ? 0 : 1];
  if (frameBytes !== channels * bytesPerSample(format))
    return other(
      `contradicts itself: ${channels} channels of ${bits} bits take ${channels * sampleBytes} bytes, its block align says ${frameBytes}`,
    );
  return { rateHz, channels, format, frameBytes };
}
