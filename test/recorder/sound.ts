// Sound with known answers: sines, noise, and the bytes of WAV files that hold them.

export type Wave = (seconds: number) => number;

export function sine(hz: number, amplitude = 1, phase = 0): Wave {
  return (seconds) => amplitude * Math.sin(2 * Math.PI * hz * seconds + phase);
}

/** Uniform noise of a given RMS, the same each time. */
export function noise(rms: number, seed = 1): Wave {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (rms * Math.sqrt(3) * state) / 2 ** 31;
  };
}

export function sampled(wave: Wave, rateHz: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => wave(i / rateHz));
}

export type Encoding = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64';
export const ENCODINGS: readonly Encoding[] = ['u8', 's16', 's24', 's32', 'f32', 'f64'];
const BYTES: Record<Encoding, number> = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4, f64: 8 };

/** Interleaved samples of all channels, as in a file. */
export function encode(encoding: Encoding, waves: readonly Wave[], rateHz: number, frames: number): Buffer {
  const bytes = Buffer.alloc(frames * waves.length * BYTES[encoding]);
  let offset = 0;
  const whole = (value: number, bits: number) =>
    Math.max(-(2 ** (bits - 1)), Math.min(2 ** (bits - 1) - 1, Math.round(value * 2 ** (bits - 1))));
  for (let frame = 0; frame < frames; frame++)
    for (const wave of waves) {
      const value = wave(frame / rateHz);
      if (encoding === 'u8') offset = bytes.writeUInt8(whole(value, 8) + 128, offset);
      else if (encoding === 's16') offset = bytes.writeInt16LE(whole(value, 16), offset);
      else if (encoding === 's24') offset = bytes.writeIntLE(whole(value, 24), offset, 3);
      else if (encoding === 's32') offset = bytes.writeInt32LE(whole(value, 32), offset);
      else if (encoding === 'f32') offset = bytes.writeFloatLE(value, offset);
      else offset = bytes.writeDoubleLE(value, offset);
    }
  return bytes;
}

export interface WavOptions {
  rateHz?: number;
  channels?: number;
  encoding?: Encoding;
  extensible?: boolean;
  /** The values of the header, if they differ from the real ones. */
  says?: {
    codec?: number;
    channels?: number;
    rateHz?: number;
    frameBytes?: number;
    bits?: number;
    data?: number;
  };
  magic?: 'RIFF' | 'RF64' | 'BW64';
  /** Chunks between the top and the fmt chunk, and between that and the sound. */
  before?: readonly Buffer[];
  between?: readonly Buffer[];
  after?: readonly Buffer[];
}

export function chunk(id: string, body: Buffer, { padded = true } = {}): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(padded ? body.length % 2 : 0)]);
}

/** The bytes of a WAV file that holds this sound. */
export function wav(sound: Buffer, options: WavOptions = {}): Buffer {
  const { rateHz = 8000, channels = 1, encoding = 's16', extensible = false, says = {} } = options;
  const codec = says.codec ?? (encoding.startsWith('f') ? 3 : 1);
  const fmt = Buffer.alloc(extensible ? 40 : 16);
  fmt.writeUInt16LE(extensible ? 0xfffe : codec, 0);
  fmt.writeUInt16LE(says.channels ?? channels, 2);
  fmt.writeUInt32LE(says.rateHz ?? rateHz, 4);
  fmt.writeUInt32LE(rateHz * channels * BYTES[encoding], 8);
  fmt.writeUInt16LE(says.frameBytes ?? channels * BYTES[encoding], 12);
  fmt.writeUInt16LE(says.bits ?? 8 * BYTES[encoding], 14);
  if (extensible) {
    fmt.writeUInt16LE(22, 16);
    fmt.writeUInt16LE(8 * BYTES[encoding], 18);
    fmt.writeUInt16LE(codec, 24);
    Buffer.from('000000001000800000aa00389b71', 'hex').copy(fmt, 26);
  }
  const data = chunk('data', sound);
  if (says.data !== undefined) data.writeUInt32LE(says.data, 4);
  const chunks = [
    ...(options.before ?? []),
    chunk('fmt ', fmt),
    ...(options.between ?? []),
    data,
    ...(options.after ?? []),
  ];
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks]);
  const head = Buffer.alloc(8);
  head.write(options.magic ?? 'RIFF', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
