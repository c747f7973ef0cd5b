// Opens a WAV file and gives its sound, once, in constant memory.
import { BadInput } from './bad-input.ts';
import { createByteReader } from './byte-reader.ts';
import { openInput } from './input-file.ts';
import type { SoundFile } from './sound-file.ts';
import { readWavHeader, type WavHeader } from './wav-header.ts';

/** A header without a size means the rest of the file. */
export interface WavFile extends SoundFile {
  readonly header: WavHeader;
}

/** @throws BadInput when the file cannot be read, is no WAV file, or is shorter than its header promises */
export async function openWav(path: string): Promise<WavFile> {
  const file = await openInput(path);
  try {
    const reader = createByteReader(file.stream);
    const header = await readWavHeader(reader, path);
    const { dataBytes: promised, headerBytes } = header;
    const held = file.size === undefined ? undefined : file.size - headerBytes;
    if (held !== undefined && promised !== undefined && held < promised)
      throw truncated(path, promised, held);
    return {
      header,
      saysLength: promised !== undefined,
      size: promised ?? held,
      began: header.began,
      async *sound() {
        let bytes = 0;
        for await (const piece of reader.pieces(promised ?? Number.POSITIVE_INFINITY)) {
          bytes += piece.length;
          yield piece;
        }
        if (promised !== undefined && bytes < promised) throw truncated(path, promised, bytes);
      },
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

function truncated(path: string, promised: number, held: number): BadInput {
  return new BadInput(
    `${path} is truncated: the header promises ${promised} bytes of sound, the file holds ${held}`,
  );
}
