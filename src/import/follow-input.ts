// Stores lines from standard input as they arrive, through the spools of their stations, like live sound.
import { messageOfFault } from '../commands/fault.ts';
import { BadInput, linesOf } from '../commands/input-files.ts';
import { ANY_TIME, createTimeCheck } from '../commands/times/time-check.ts';
import { UNKNOWN } from '../contract/periods.ts';
import type { Point } from '../contract/point.ts';
import { createLiveStatus } from '../recorder/live-status.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { bytesUntilAborted } from '../recorder/sources/bytes-until-aborted.ts';
import type { ImportOptions } from './import-options.ts';
import { createSkippedLines, keepByStation, type PointKeeper, pointOf } from './keep-by-station.ts';
import { createLineReader } from './line-reader.ts';
import { layoutOf } from './station-by.ts';

/** Ends with the input or the signal, and stores all that arrived. @throws BadInput if header and options disagree */
export async function followInput(paths: readonly string[], options: ImportOptions, io: RecorderIo) {
  if (paths.length !== 1 || paths[0] !== '-')
    throw new BadInput('--follow reads only standard input: give - instead of a file');
  const { as, stationBy } = options;
  const given = options.layout && { ...options.layout, offsetDb: options.layout.offsetDb ?? 0 };
  const layout = given && stationBy ? layoutOf(given, stationBy) : given;
  const check = options.takesFar ? ANY_TIME : createTimeCheck(io.clock);
  let reader = createLineReader(layout, check);
  let isBegun = false;
  const keeping = await keepByStation(options, io);
  const skipped = createSkippedLines(io.progress);
  let clipped = 0;
  const show = createLiveStatus(io, {
    settings: as?.settings ?? UNKNOWN,
    waiting: keeping.waiting,
    clipped: () => (clipped === 0 ? undefined : `${clipped.toLocaleString('en')} points`),
  });
  let line = 0;
  try {
    for await (const lines of linesOf(
      bytesUntilAborted(io.stdin, io.signal, true),
      io.signal,
      layout?.encoding,
    )) {
      const batches = new Map<PointKeeper, Point[]>();
      for (const text of lines) {
        line += 1;
        const [read] = reader.read([text], line);
        isBegun ||= read !== undefined && 'row' in read;
        // without a header, a device's startup messages must not decide how to read later lines
        if (!isBegun && layout?.columns.by === 'position') reader = createLineReader(layout, check);
        if (!read) continue;
        if ('note' in read) {
          io.progress(`Standard input, line ${line}: ${read.note}`);
          continue;
        }
        if ('fault' in read) {
          if (read.isFinal) throw new BadInput(`Standard input, line ${line}: ${messageOfFault(read)}`);
          skipped.add(`line ${line} of standard input`, () => messageOfFault(read));
          continue;
        }
        const to = await keeping.of(read.of);
        if (typeof to === 'string') {
          skipped.add(`line ${line} of standard input`, () => to);
          continue;
        }
        if (read.isClipped) clipped += 1;
        const batch = batches.get(to) ?? [];
        batches.set(to, batch);
        batch.push(pointOf(read.row));
      }
      for (const [to, batch] of batches) await to.add(batch);
      await show([...batches.values()].flat());
    }
  } finally {
    io.stdin.destroy(); // an open pipe would keep the process alive
    await keeping.close();
    skipped.end();
  }
}
