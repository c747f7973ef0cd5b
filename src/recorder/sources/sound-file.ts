// Declares a file of sound: what it says of itself, and its sound.
import type { WavFormat } from './wav-header.ts';

/** How a file is read whose header contradicts what it holds. */
export interface Reading {
  /** `whole`: to the end of the file; `partial`: what the header says, as far as it goes. Else it is refused. */
  readonly reach?: 'whole' | 'partial' | undefined;
  /** Shows a line to the user. */
  say(line: string): void;
}

export interface SoundFile extends AsyncDisposable {
  readonly header: Pick<WavFormat, 'rateHz' | 'channels' | 'format'>;
  /** Whether it says how long its sound is. */
  readonly saysLength: boolean;
  /** Bytes of sound; undefined where neither its header nor the file says. */
  readonly size: number | undefined;
  /** When it began, as it says: a time of ISO 8601, mostly without a zone. */
  readonly began: string | undefined;
  /** The offset of the clock that says so, and names the file; undefined if it does not say. */
  readonly zone?: string | undefined;
  /**
   * The bytes of the sound as they are read.
   *
   * @throws BadInput where the file ends before the sound, or cannot be decoded
   */
  sound(): AsyncGenerator<Uint8Array>;
}
