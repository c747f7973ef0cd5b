// What a command that reads input and reports progress needs from the process.
import type { Readable } from 'node:stream';

export interface CommandIo {
  readonly stdin: Readable;
  /** Prints a line for the user. */
  progress(line: string): void;
  /** Aborts when the command must end. A file is then not stored; a stream keeps its measured points. */
  readonly signal: AbortSignal;
}
