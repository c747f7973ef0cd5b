// The `record` command: real sound becomes points, from a file or from standard input.
import type { Readable } from 'node:stream';
import type { Database } from '../db/database.ts';
import { recordFile } from './record-file.ts';
import { parseRecordArgs } from './record-options.ts';
import { recordStream } from './record-stream.ts';

/** What a command of the recorder needs of its process. */
export interface RecorderIo {
  /** Called when it is clear that there is something to read; the command closes what it gets. */
  openDatabase(): Promise<Database>;
  stdin: Readable;
  /** Takes a line for the person who watches, without its line break. */
  progress(line: string): void;
  /** The clock, canonical. */
  now(): string;
  /** Aborts when the command is to end: a file is then not stored, a stream up to what was measured. */
  signal: AbortSignal;
}

/**
 * Measures a recording and stores its points; see RECORD_USAGE for the arguments.
 *
 * @throws AppError BAD_REQUEST for wrong arguments, its message a line for each
 * @throws BadInput when the recording is at fault
 */
export async function record(args: readonly string[], io: RecorderIo): Promise<void> {
  const options = parseRecordArgs(args, io.now());
  if (options.source === '-') await recordStream(options, io);
  else await recordFile(options, io);
}
