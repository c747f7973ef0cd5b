// Shared by the tests of the calibration: recordings of tones, and their measured levels.
import { expect } from 'vitest';
import { createRun, file, record } from './run.ts';
import { type Encoding, encode, sine, type Wave, wav } from './sound.ts';

/** Low, so that tests take a third of the time of a usual rate. */
export const RATE = 16_000;

export interface Sound {
  rateHz?: number;
  encoding?: Encoding;
  seconds?: number;
  waves?: readonly Wave[];
}

export function recording(
  wave: Wave,
  { rateHz = RATE, encoding = 's16', seconds = 3, waves = [wave] }: Sound = {},
) {
  const sound = encode(encoding, waves, rateHz, Math.round(seconds * rateHz));
  return file(wav(sound, { rateHz, encoding, channels: waves.length }));
}

export async function calibrated(path: string, level = '94', ...args: string[]) {
  const run = createRun();
  await record(['calibrate', path, '--level', level, ...args], run.io);
  expect(run.db.rows).toEqual([]);
  return run;
}

export const offsetOf = async (path: string, level?: string, ...args: string[]) =>
  (await calibrated(path, level, ...args)).printed;

export const sum =
  (...waves: readonly Wave[]): Wave =>
  (t) =>
    waves.reduce((all, wave) => all + wave(t), 0);

const amplitude = (db: number) => Math.SQRT2 * 10 ** (db / 20);
export const tone = (db: number, hz = 1000) => sine(hz, amplitude(db));
