// The `record` command: turns real sound, from a file or from standard input, into points.
import type { RecorderIo } from './io.ts';
import { recordFile } from './record-file.ts';
import { parseRecordArgs } from './record-options.ts';
import { recordStream } from './record-stream.ts';

/**
 * Measures a recording and stores its points; see RECORD_USAGE for the arguments.
 *
 * @throws AppError BAD_REQUEST for wrong arguments, with one line for each
 * @throws BadInput when the recording is at fault
 */
export async function record(args: readonly string[], io: RecorderIo): Promise<void> {
  const options = parseRecordArgs(args, io.now());
  if (options.source === '-') await recordStream(options, io);
  else await recordFile(options, io);
}
