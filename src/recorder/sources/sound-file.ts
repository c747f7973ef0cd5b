// Declares a sound file: its header, and its sound.
import type { SoundFormat } from '../../sound/sample-format.ts';

/** How to read a file whose header contradicts its contents. */
export interface SoundReading {
  /** `whole`: to the end of the file; `partial`: up to the length in the header, or less; undefined: refuse it. */
  readonly reach?: 'whole' | 'partial' | undefined;
  say(line: string): void;
}

export interface SoundFile extends AsyncDisposable {
  readonly header: SoundFormat;
  readonly saysLength: boolean;
  /** Bytes of sound; undefined if neither the header nor the file size gives it. */
  readonly size: number | undefined;
  /** The start from the file's metadata: an ISO 8601 time, usually without a zone. */
  readonly began: string | undefined;
  /** The offset of the clock that wrote the start and the file name; undefined if unknown. */
  readonly zone?: string | undefined;
  /** The bytes as they are read. @throws BadInput if the file ends before the sound, or cannot be decoded */
  sound(): AsyncGenerator<Uint8Array>;
}
