// The `record` command: turns sound from a file or standard input into points.
import { Command } from 'commander';
import { BadInput, filesIn, interrupted, isFolder } from '../commands/input-files.ts';
import { isSome, messageOf, pointsText } from '../commands/progress.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { alsoOf } from './also.ts';
import { calibrateCommand } from './calibrate.ts';
import { withCalibration } from './calibrations.ts';
import { pointsAlready, prepareFile, recordFile } from './record-file.ts';
import { declareRecord, type GivenRecord, type RecordOptions, readRecord } from './record-options.ts';
import { recordStream } from './record-stream.ts';
import type { RecorderIo } from './recorder-io.ts';
import { recordingStart } from './sources/recording-start.ts';
import { openSound } from './sources/wav-file.ts';
import { openPoints } from './storing/open-points.ts';

/** The action throws BadInput if the recording is at fault. */
export function recordCommand(open: () => RecorderIo): Command {
  const command = declareRecord(new Command('record')).usage('[options] <FILE>');
  // so that only `calibrate` reads the options after its name
  command.enablePositionalOptions().helpCommand(false).addCommand(calibrateCommand(open));
  return command.action(async (source: string, given: GivenRecord) => {
    const io = open();
    const read = readRecord(source, given, io.now(), command);
    alsoOf(read, io.station); // refuses a long name before anything is opened
    const options = await withCalibration(read, io);
    const also = alsoOf(options, io.station).map(({ station, level }) => ({
      level,
      at: { ...io, ...io.at(station, true, io.station) },
    }));
    try {
      if (options.source === '-') return await recordStream(options, io, also);
      const recordAll = (await isFolder(options.source)) ? recordFolder : recordFile;
      await recordAll({ ...options, also: [] }, io);
      for (const { level, at } of also) await recordAll(level, at);
    } finally {
      io.status(undefined);
    }
  });
}

const SOUND = /\.(wav|wave|w64|flac|ogg|oga|opus|mp3|m4a|aac|wma|aif|aiff|caf|amr|mp4|mkv|mov|avi|webm)$/i;

/** Reports recordings that cannot be measured, and measures the others. @throws BadInput at the end, if there were any */
async function recordFolder(options: RecordOptions, io: RecorderIo): Promise<void> {
  if (options.start !== undefined)
    throw new AppError('BAD_REQUEST', '--start: not allowed with a folder: each recording has its own start');
  const paths = await filesIn(options.source, SOUND, 'recording, such as a .wav or .flac file');
  let failed = 0;
  await using db = await openPoints(io);
  await io.warnOfLimits(options.referenceDb ?? null, db);
  for (const path of paths) {
    if (io.signal.aborted) throw interrupted(path);
    try {
      await recordOnce(path, options, db, io);
    } catch (error) {
      if (io.signal.aborted) throw interrupted(path);
      if (!(error instanceof BadInput)) throw error;
      failed += 1;
      io.progress(messageOf(error));
    }
  }
  if (failed > 0) throw new BadInput(`${failed} of ${paths.length} recordings were not stored`);
}

async function recordOnce(path: string, options: RecordOptions, db: Database, io: RecorderIo): Promise<void> {
  await using file = await openSound(path, { ...options, say: io.progress });
  const began = recordingStart(path, file, options, io.progress);
  const { start } = began;
  const { mode } = options;
  const found = mode === 'new' ? await pointsAlready(db, file, { ...options, start }) : { count: 0 };
  if (isSome(found)) return io.progress(`Skipped ${path}: its time already has ${pointsText(found)}.`);
  io.progress(`Measuring ${path}, from ${start}:`);
  // `add`, because recordings may overlap a little at their ends
  await prepareFile(file, { ...options, source: path, ...began }, io)(db, mode === 'new' ? 'add' : mode);
}
