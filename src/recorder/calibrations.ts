// The calibrations of a microphone: a file in DATA_DIR that grows by one each time.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { Instant } from '../contract/instant-schema.ts';
import { codeOf } from '../db/faults.ts';
import { makeFolder, replaceSynced } from '../db/synced-folders.ts';
import { BadInput } from './bad-input.ts';

const Calibration = z.object({
  time: Instant,
  /** Of the calibrator. */
  level_db: z.number(),
  frequency_hz: z.number(),
  /** The sound pressure level that full scale stands for. */
  offset_db: z.number(),
  channel: z.string(),
});
export type Calibration = z.infer<typeof Calibration>;

/**
 * Oldest first.
 *
 * @throws BadInput where the file is not what was written
 */
export async function readCalibrations(path: string): Promise<Calibration[]> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '[]';
    throw error;
  });
  try {
    return z.array(Calibration).parse(JSON.parse(text));
  } catch (cause) {
    throw new BadInput(`${path} is no list of calibrations: repair it, or remove it and calibrate again`, {
      cause,
    });
  }
}

/** Once it is back a power cut leaves all of it, or what was there before. */
export async function addCalibration(path: string, calibration: Calibration): Promise<void> {
  const all = [...(await readCalibrations(path)), calibration];
  makeFolder(dirname(path));
  replaceSynced(path, `${JSON.stringify(all, undefined, 2)}\n`);
}
