// Stores lines from standard input as they arrive, through the spools of their stations, like live sound.
import { messageOfFault } from '../commands/fault.ts';
import { BadInput, linesOf } from '../commands/input-files.ts';
import { counted, createOnceAMinute, createOnceIn, messageOf } from '../commands/progress.ts';
import { ANY_TIME, createTimeCheck } from '../commands/times/time-check.ts';
import { UNKNOWN } from '../contract/periods.ts';
import type { Point } from '../contract/point.ts';
import { isMissing } from '../database/station-schemas.ts';
import { createLiveStatus } from '../recorder/live-status.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { bytesUntilAborted } from '../recorder/sources/bytes-until-aborted.ts';
import { keepPoints } from '../recorder/storing/keep-points.ts';
import type { ImportOptions } from './import-options.ts';
import { createLineReader } from './line-reader.ts';
import { layoutOf, mappingAdvice, stationOf } from './station-by.ts';

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
          skipped.add(line, () => messageOfFault(read));
          continue;
        }
        const to = await keeping.of(read.of);
        if (typeof to === 'string') {
          skipped.add(line, () => to);
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

function pointOf(row: string): Point {
  const [time = '', level = '', hertz = '', silence] = row.split(',');
  return {
    time,
    rms_db: level === '' ? null : Number(level),
    frequency_hz: hertz === '' ? null : Number(hertz),
    is_silence: silence === 'true',
  };
}

/** Reports skipped lines of a stream: the first at once, further ones at most once a minute. */
function createSkippedLines(report: (line: string) => void) {
  let count = 0;
  let said = 0;
  const saying = createOnceAMinute();
  return {
    add(line: number, fault: () => string): void {
      count += 1;
      if (!saying.isDue()) return;
      const more = count - said;
      const what = more === 1 ? '' : `${more.toLocaleString('en')} lines, the last of them `;
      report(`Warning: skipped ${what}line ${line} of standard input: ${fault()}`);
      said = count;
    },
    end(): void {
      if (count > 0) report(`Skipped ${counted(count, 'line')} in all.`);
    },
  };
}

type PointKeeper = Awaited<ReturnType<typeof keepPoints>>;

async function keepByStation({ as, stationBy }: ImportOptions, io: RecorderIo) {
  const kept = new Map<string | undefined, PointKeeper>();
  const missing = new Map<string, { readonly why: string; isDue(): boolean }>();
  if (!stationBy) kept.set(undefined, await keepPoints({ as }, io));

  return {
    /** @returns what stores the points with this value of the column, or why nothing does */
    async of(value = ''): Promise<PointKeeper | string> {
      const station = stationBy && stationOf(stationBy, value);
      const found = kept.get(station);
      if (found) return found;
      if (!stationBy || station === undefined) return stationBy ? mappingAdvice(stationBy, [value]) : '';
      const before = missing.get(station);
      if (before && !before.isDue()) return before.why;
      try {
        const keeping = await keepPoints({ as }, { ...io, ...io.at(station, stationBy.creates) });
        kept.set(station, keeping);
        return keeping;
      } catch (error) {
        if (!isMissing(error)) throw error;
        const { isDue } = before ?? createOnceIn(60_000);
        const why = messageOf(error);
        missing.set(station, { why, isDue });
        return why;
      }
    },
    async waiting(): Promise<number> {
      let sum = 0;
      for (const keeping of kept.values()) sum += await keeping.waiting();
      return sum;
    },
    /** @throws the first fault, once all are closed */
    async close(): Promise<void> {
      const held = kept.size > 1 ? await io.openDatabase().catch(() => undefined) : undefined; // one connection for all
      const faults: unknown[] = [];
      for (const keeping of kept.values()) await keeping.close().catch((error) => faults.push(error));
      await held?.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}
