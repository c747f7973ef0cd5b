// Stores lines from standard input as they arrive, through the spools of their stations, like live sound.
import { messageOfFault } from '../commands/fault.ts';
import { BadInput, linesOf } from '../commands/input-files.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { bytesUntilAborted } from '../recorder/sources/bytes-until-aborted.ts';
import type { ImportOptions } from './import-options.ts';
import { openKeeping } from './keep-by-station.ts';
import { createLineReader, type LineRead } from './line-reader.ts';

/** Ends with the input or the signal, and stores all that arrived. @throws BadInput if header and options disagree */
export async function followInput(paths: readonly string[], options: ImportOptions, io: RecorderIo) {
  if (paths.length !== 1 || paths[0] !== '-')
    throw new BadInput('--follow reads only standard input: give - instead of a file');
  const keeping = await openKeeping(options, io);
  const { layout, check } = keeping;
  let readLines = createLineReader(layout, check);
  let isBegun = false;
  let line = 0;
  try {
    for await (const lines of linesOf(
      bytesUntilAborted(io.stdin, io.signal, true),
      io.signal,
      layout?.encoding,
    )) {
      const reads: LineRead[] = [];
      for (const text of lines) {
        line += 1;
        for (const { read } of readLines([text])) {
          if ('note' in read) io.progress(`Standard input, line ${line}: ${read.note}`);
          if ('fault' in read && read.isFinal)
            throw new BadInput(`Standard input, line ${line}: ${messageOfFault(read)}`);
          isBegun ||= 'row' in read;
          reads.push({ line, read });
        }
        // without a header, a device's startup messages must not decide how to read later lines
        if (!isBegun && layout?.columns.by === 'position')
          readLines = createLineReader({ ...layout, skipLines: (layout.skipLines ?? 0) - line }, check);
      }
      const batches = await keeping.batches(reads, 'standard input');
      for (const [to, batch] of batches) await to.add(batch);
      await keeping.show([...batches.values()].flat());
    }
  } finally {
    io.stdin.destroy(); // an open pipe would keep the process alive
    await keeping.close();
  }
}
