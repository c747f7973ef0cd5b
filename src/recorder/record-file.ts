// Turns a recording into points: all of them are stored, or none.
import { addSeconds, instantOfMicros, LAST_MICROS, microsOf } from '../contract/instant.ts';
import { csvRow, type Point } from '../contract/point.ts';
import { BadInput, interrupted } from './bad-input.ts';
import { shiftOf } from './calibrations.ts';
import { pickChannels, type Sound } from './channel-choice.ts';
import { unweighedBands } from './frequency-weighting.ts';
import { saidIfSlow } from './input-file.ts';
import { createMeter, type Meter } from './meter.ts';
import { openSound } from './open-sound.ts';
import { recordedAs } from './periods/recorded-as.ts';
import { openPointStore, type PointStore } from './point-store.ts';
import {
  addPoints,
  clippedPart,
  createTicker,
  measuredLine,
  type PointCount,
  percent,
  storedLine,
} from './progress.ts';
import type { RecordOptions } from './record-options.ts';
import type { RecorderIo } from './recorder-io.ts';
import { startOf } from './recording-start.ts';
import { bytesPerSample, createDecoder } from './sample-format.ts';
import type { SoundFile } from './sound-file.ts';
import { createSoundWatch } from './sound-watch.ts';
import { PointsFound } from './store-interval.ts';

const SHOW_EVERY_MS = 5000;

/**
 * Reads the file in constant memory.
 *
 * @throws BadInput when the recording is at fault or the signal aborts; a header that promises more than the
 * file holds is refused before the database is opened
 */
export async function recordFile(options: RecordOptions, io: RecorderIo): Promise<void> {
  const opening = openSound(options.source, { ...options, say: io.progress });
  await using file = await saidIfSlow(options.source, opening, io.progress);
  const start = startOf(options.source, file, options, io.progress);
  const measure = prepareFile(file, { ...options, start }, io);
  await using store = await openPointStore(io);
  const refusal = new BadInput(
    `${options.source} is not stored: its time already has points. --add stores both`,
  );
  const end = endOf(start, file);
  // before it is measured, which takes long
  if (!options.adds && end && (await hasPoints(store, microsOf(start), microsOf(end)))) throw refusal;
  await measure(store, !options.adds).catch((error) => {
    throw error instanceof PointsFound ? refusal : error;
  });
}

/**
 * @returns what measures the file, stores its points, and says what became of them. Where they must be new it throws
 *   PointsFound if its time has some
 */
export function prepareFile(
  file: SoundFile,
  options: RecordOptions & { readonly start: string },
  io: RecorderIo,
): (store: PointStore, isNew: boolean) => Promise<void> {
  const { source, start } = options;
  if (!file.saysLength)
    io.progress(`${source} does not say how long its sound is: reading to the end of the file.`);

  const { rateHz, channels, format } = file.header;
  const picked = pickChannels(options.channel, channels);
  const unweighed = unweighedBands(options.weighting, rateHz);
  if (unweighed) io.progress(unweighed);

  const as = recordedAs(options);
  const shiftDb = shiftOf(options);
  const watch = createSoundWatch({ ...options, shiftDb, rateHz, format, warn: io.progress });
  const meter = createMeter({ ...options, shiftDb, start, rateHz, channels: picked.length, watch });
  const decode = createDecoder(format, channels, picked);
  const measured: PointCount = { count: 0 };
  const csv = rows(
    file,
    decode,
    meter,
    measured,
    (count, levelDb) => {
      return `${measuredLine(count, levelDb, as.settings)}${clippedPart(watch.clipped())}`;
    },
    io,
  );
  return async (store, isNew) => {
    if (await store.store(csv, measured, { as, start, end: endOf(start, file), isNew }))
      io.progress(storedLine(measured));
    watch.end();
    const clipped = watch.clipped();
    if (clipped) io.progress(`Clipped in ${clipped}.`);
    if (measured.count === 0) io.progress('The recording is shorter than half an interval.');
  };
}

/** How much of a recording is looked at that does not say how long it is. */
const LOOKED_AT_SECONDS = 1;

/** Whether there are points in the middle of its time: recordings of a folder may overlap a little at their ends. */
export function isStored(
  store: PointStore,
  file: SoundFile,
  { start, intervalMs }: { readonly start: string; readonly intervalMs: number },
): Promise<boolean> {
  const first = microsOf(start);
  const after = microsOf(endOf(start, file) ?? addSeconds(start, LOOKED_AT_SECONDS) ?? start);
  const margin = after - first < 4000 * intervalMs ? 0n : (after - first) / 4n;
  return hasPoints(store, first + margin, after - margin);
}

/** @param after is not in it */
async function hasPoints(store: PointStore, first: bigint, after: bigint): Promise<boolean> {
  if (first >= after) return false;
  const found = await store.find({ first: instantOfMicros(first), last: instantOfMicros(after - 1n) });
  return found.count > 0;
}

/** Undefined where the file does not say how long it is. */
function endOf(start: string, { size, header: { format, channels, rateHz } }: SoundFile): string | undefined {
  if (size === undefined) return undefined;
  const micros = Math.floor((size * 1e6) / (bytesPerSample(format) * channels * rateHz));
  const end = microsOf(start) + BigInt(micros);
  return end <= LAST_MICROS ? instantOfMicros(end) : undefined;
}

async function* rows(
  { size, sound }: SoundFile,
  decode: (piece: Uint8Array) => Sound,
  meter: Meter,
  measured: PointCount,
  shown: (count: number, levelDb: number | null) => string,
  io: RecorderIo,
): AsyncGenerator<string> {
  const tick = createTicker(io.status, SHOW_EVERY_MS);
  let levelDb: number | null = null;
  const toText = (points: readonly Point[]) => {
    addPoints(measured, points);
    levelDb = points.at(-1)?.rms_db ?? levelDb;
    return points.map((point) => `${csvRow(point)}\n`).join('');
  };
  let bytes = 0;
  for await (const piece of sound()) {
    if (io.signal.aborted) throw interrupted();
    bytes += piece.length;
    const text = toText(meter.push(decode(piece)));
    if (text) yield text;
    const share = size === undefined ? '' : `${percent(bytes, size)}, `;
    tick(() => `${share}${shown(measured.count, levelDb)}`);
  }
  const text = toText(meter.finish());
  if (text) yield text;
}
