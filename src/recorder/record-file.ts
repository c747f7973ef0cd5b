// Turns a recording into points.
import { BadInput, interrupted, saidIfSlow } from '../commands/input-files.ts';
import {
  addTime,
  clippedPart,
  createTicker,
  measuredLine,
  type PointCount,
  percent,
  storedLine,
} from '../commands/progress.ts';
import { addSeconds, instantOfMicros, LAST_MICROS, microsOf } from '../contract/instant.ts';
import { MOST_PERIODS } from '../contract/periods.ts';
import { csvRow } from '../contract/point.ts';
import type { Database } from '../database/database.ts';
import { newestPeriodsOfPoints } from '../database/periods.ts';
import { createOverloadCount, type MeasuredPoint } from '../sound/measured-point.ts';
import { bytesPerSample } from '../sound/sample-format.ts';
import { createMeasuring } from './measuring.ts';
import type { RecordOptions } from './record-options.ts';
import type { RecorderIo } from './recorder-io.ts';
import { type RecordingStart, recordingStart } from './sources/recording-start.ts';
import type { SoundFile } from './sources/sound-file.ts';
import { openSound } from './sources/wav-file.ts';
import { assertKept } from './storing/expiring-points.ts';
import { openPoints } from './storing/open-points.ts';
import { publishNewest } from './storing/periods/note-periods.ts';
import { assertLevelsCompare, recordedAs } from './storing/periods/recorded-as.ts';
import { assertNone, findPoints, type Mode, PointsFound, storePoints } from './storing/point-store.ts';

const SHOW_EVERY_MS = 5000;

/**
 * Reads the file in constant memory.
 *
 * @throws BadInput if the recording is at fault or the signal aborts. A file shorter than its header says is refused
 * before the database opens
 */
export async function recordFile(options: RecordOptions, io: RecorderIo): Promise<void> {
  const opening = openSound(options.source, { ...options, say: io.progress });
  await using file = await saidIfSlow(options.source, opening, io.progress);
  const began = recordingStart(options.source, file, options, io.progress);
  const measure = prepareFile(file, { ...options, ...began }, io);
  await using db = await openPoints(io);
  await io.warnOfLimits(options.referenceDb ?? null, db);
  const { start } = began;
  const end = endOf(start, file);
  try {
    // checked first, since measuring takes long
    if (options.mode === 'new' && end) assertNone(await pointsIn(db, microsOf(start), microsOf(end)));
    await measure(db, options.mode);
  } catch (error) {
    throw error instanceof PointsFound ? new BadInput(error.advice(options.source)) : error;
  }
}

/** @returns a function that measures the file, stores its points, and prints the result */
export function prepareFile(
  file: SoundFile,
  options: RecordOptions & RecordingStart,
  io: RecorderIo,
): (db: Database, mode: Mode) => Promise<void> {
  const { source, start } = options;
  if (!file.saysLength) io.progress(`The header of ${source} has no length: reading to the end of the file.`);

  const as = recordedAs(options, options.clock);
  const { watch, begin } = createMeasuring(options, file.header, io.progress);
  const meter = begin(start);
  const measured: PointCount = { count: 0 };
  const overload = createOverloadCount();
  const tick = createTicker(io.status, SHOW_EVERY_MS);
  let levelDb: number | null = null;

  function toText(points: readonly MeasuredPoint[]): string {
    for (const { time } of points) addTime(measured, time);
    overload.add(points);
    levelDb = points.at(-1)?.rms_db ?? levelDb;
    return points.map((point) => `${csvRow(point)}\n`).join('');
  }

  async function* rows(): AsyncGenerator<string> {
    let bytes = 0;
    for await (const piece of file.sound()) {
      if (io.signal.aborted) throw interrupted();
      bytes += piece.length;
      yield toText(meter.push(piece).flat());
      const share = file.size === undefined ? '' : `${percent(bytes, file.size)}, `;
      tick(
        () => `${share}${measuredLine(measured.count, levelDb, as.settings)}${clippedPart(watch.clipped())}`,
      );
    }
    yield toText(meter.finish().flat());
  }

  return async (db, mode) => {
    await assertKept(db, source, start);
    assertLevelsCompare(as, await newestPeriodsOfPoints(db, MOST_PERIODS), start, endOf(start, file));
    const removed = await storePoints(db, rows(), { mode, as, overload, progress: io.progress });
    if (io.database === 'embedded') await publishNewest(await io.openSpool(), db);
    io.progress(storedLine(measured, removed));
    watch.end();
    const clipped = watch.clipped();
    if (clipped) io.progress(`Clipped in ${clipped}.`);
    if (measured.count === 0)
      io.progress('No points: the recording is shorter than half an interval. Choose a shorter --interval.');
  };
}

/** How much of a recording of unknown length to check for existing points. */
const LOOKED_AT_SECONDS = 1;

/** The existing points in the recording's time. None if only its ends have some, as recordings in a folder may. */
export async function pointsAlready(
  db: Database,
  file: SoundFile,
  { start, intervalMs }: { readonly start: string; readonly intervalMs: number },
): Promise<PointCount> {
  const first = microsOf(start);
  const after = microsOf(endOf(start, file) ?? addSeconds(start, LOOKED_AT_SECONDS) ?? start);
  const margin = after - first < 4000 * intervalMs ? 0n : (after - first) / 4n;
  const middle = await pointsIn(db, first + margin, after - margin);
  return middle.count === 0 ? middle : pointsIn(db, first, after);
}

/** @param after the end, exclusive */
async function pointsIn(db: Database, first: bigint, after: bigint): Promise<PointCount> {
  if (first >= after) return { count: 0 };
  return findPoints(db, { first: instantOfMicros(first), last: instantOfMicros(after - 1n) });
}

/** Undefined if the file has no known length. */
function endOf(start: string, { size, header: { format, channels, rateHz } }: SoundFile): string | undefined {
  if (size === undefined) return undefined;
  const micros = Math.floor((size * 1e6) / (bytesPerSample(format) * channels * rateHz));
  const end = microsOf(start) + BigInt(micros);
  return end <= LAST_MICROS ? instantOfMicros(end) : undefined;
}
