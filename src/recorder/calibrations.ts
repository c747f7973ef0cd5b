// Keeps all calibrations of a microphone in a file in DATA_DIR.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { BadInput } from '../commands/input-files.ts';
import { CalibrationCheck } from '../contract/calibrations.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { codeOf } from '../database/faults.ts';
import { makeFolder, replaceSynced } from '../database/synced-folders.ts';
import { AppError } from '../errors.ts';
import { LEAST_CALIBRATION_DB, type MeasuringOptions, MOST_CALIBRATION_DB } from './measuring-options.ts';
import type { RecorderIo } from './recorder-io.ts';

/** Oldest first. @throws BadInput if the file is not a list of calibrations */
export async function readCalibrations(path: string): Promise<CalibrationCheck[]> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '[]';
    throw error;
  });
  try {
    return z.array(CalibrationCheck).parse(JSON.parse(text));
  } catch (cause) {
    throw new BadInput(`${path} is not a list of calibrations: repair it, or remove it and calibrate again`, {
      cause,
    });
  }
}

/** Atomic: after a power cut the file is complete or unchanged. @throws BadInput if it cannot be written */
export async function addCalibration(path: string, calibration: CalibrationCheck): Promise<void> {
  const all = [...(await readCalibrations(path)), calibration];
  try {
    makeFolder(dirname(path));
    await replaceSynced(path, `${JSON.stringify(all, undefined, 2)}\n`);
  } catch (cause) {
    throw new BadInput(`${path} cannot be written: set DATA_DIR to a writable folder`, { cause });
  }
}

/** Adds the calibration that a reference needs: as given, or the newest in the file. @throws BAD_REQUEST without one */
export async function withCalibration<Options extends MeasuringOptions>(
  options: Options,
  { station, calibrationFile, progress }: Pick<RecorderIo, 'station' | 'calibrationFile' | 'progress'>,
): Promise<Options> {
  if (options.referenceDb === undefined || options.calibrationDb !== undefined) return options;
  const last = (await readCalibrations(calibrationFile)).at(-1);
  if (!last)
    throw new AppError(
      'BAD_REQUEST',
      `--reference-db needs a calibration: give --calibration, or run \`npm run record -- calibrate${station === DEFAULT_STATION ? '' : ` --station ${station}`}\`, which writes ${calibrationFile}`,
    );
  const { offset_db, time, channel } = last;
  if (offset_db < LEAST_CALIBRATION_DB || offset_db > MOST_CALIBRATION_DB)
    throw new AppError(
      'BAD_REQUEST',
      `--reference-db: the calibration of ${time} is ${offset_db} dB, but must be ${LEAST_CALIBRATION_DB} to ${MOST_CALIBRATION_DB}: calibrate again`,
    );
  progress(`Using the calibration of ${time}: ${offset_db} dB.`);
  if (channel !== String(options.channel))
    progress(
      `Warning: that calibration is for --channel ${channel}. Calibrate again with --channel ${options.channel}, as you record.`,
    );
  return { ...options, calibrationDb: offset_db };
}
