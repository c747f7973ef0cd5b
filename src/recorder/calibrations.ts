// The calibrations of a microphone: a file in DATA_DIR that grows by one each time.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CalibrationCheck } from '../contract/calibrations.ts';
import { codeOf } from '../db/faults.ts';
import { makeFolder, replaceSynced } from '../db/synced-folders.ts';
import { AppError } from '../errors.ts';
import { BadInput } from './bad-input.ts';
import { LEAST_CALIBRATION_DB, type MeasuringOptions, MOST_CALIBRATION_DB } from './measuring-options.ts';
import type { RecorderIo } from './recorder-io.ts';

/** Oldest first. @throws BadInput where the file is not what was written */
export async function readCalibrations(path: string): Promise<CalibrationCheck[]> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '[]';
    throw error;
  });
  try {
    return z.array(CalibrationCheck).parse(JSON.parse(text));
  } catch (cause) {
    throw new BadInput(`${path} is no list of calibrations: repair it, or remove it and calibrate again`, {
      cause,
    });
  }
}

/**
 * Once it is back a power cut leaves all of it, or what was there before.
 *
 * @throws BadInput where it cannot be kept
 */
export async function addCalibration(path: string, calibration: CalibrationCheck): Promise<void> {
  const all = [...(await readCalibrations(path)), calibration];
  try {
    makeFolder(dirname(path));
    await replaceSynced(path, `${JSON.stringify(all, undefined, 2)}\n`);
  } catch (cause) {
    throw new BadInput(`${path} cannot be written: set DATA_DIR to a folder that can be`, { cause });
  }
}

/**
 * @returns the options with the calibration that their reference needs: what was given, or else found last
 * @throws AppError BAD_REQUEST where there is none
 */
export async function withCalibration<Options extends MeasuringOptions>(
  options: Options,
  { calibrationFile, progress }: Pick<RecorderIo, 'calibrationFile' | 'progress'>,
): Promise<Options> {
  if (options.referenceDb === undefined || options.calibrationDb !== undefined) return options;
  const last = (await readCalibrations(calibrationFile)).at(-1);
  if (!last)
    throw new AppError(
      'BAD_REQUEST',
      `--reference-db: needs a calibration: give --calibration, or run \`npm run record -- calibrate\`, which keeps what it finds in ${calibrationFile}`,
    );
  const { offset_db, time, channel } = last;
  if (offset_db < LEAST_CALIBRATION_DB || offset_db > MOST_CALIBRATION_DB)
    throw new AppError(
      'BAD_REQUEST',
      `--reference-db: the calibration of ${time} is ${offset_db} dB, and must be ${LEAST_CALIBRATION_DB} to ${MOST_CALIBRATION_DB}`,
    );
  progress(`The calibration is ${offset_db} dB, of ${time}.`);
  if (channel !== String(options.channel))
    progress(`Warning: it is of --channel ${channel}, and --channel ${options.channel} is recorded.`);
  return { ...options, calibrationDb: offset_db };
}
