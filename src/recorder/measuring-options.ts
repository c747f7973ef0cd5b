// The options for how to measure sound, shared by `record` and by a service that runs a recorder.
import type { Command } from 'commander';
import { choice, decibels, flag, read, type ValuesOf } from '../commands/command-options.ts';
import { durationBetween } from '../contract/instant.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { WEIGHTINGS } from '../sound/frequency-weighting.ts';
import { CHANNEL } from '../sound/sample-format.ts';
import { TIME_WEIGHTINGS } from '../sound/window-power.ts';

export const [LEAST_CALIBRATION_DB, MOST_CALIBRATION_DB] = [40, 200];

export const MEASURING = {
  help: {
    '--interval <TIME>': 'the time between points, 10ms to 60s (default 100ms)',
    '--silence-db <DB>': `windows below this level are silent: ${FLOOR_DB} to 0 (default -45), relative to the reference if there is one`,
    '--weighting <NAME>':
      'the frequency weighting of the level (IEC 61672-1): A, C, or Z for unweighted, which includes DC and everything below 10 Hz (default Z). Silence and frequency are always unweighted',
    '--time-weighting <NAME>':
      'fast or slow: store the maximum of the time-weighted level in each window (default: the RMS of the window). Maxima give no Leq, Lden or verdict: --also fast stores both levels',
    '--channel <N>':
      'for sound with several channels: the number of one channel, from 1; mean for the mean of their energies; or max for the loudest in each window (default mean). The frequency is always that of the loudest channel',
    '--reference-db <DB>':
      'the sound pressure level that a stored 0 stands for, 40 to 160. The stored range is the 50 dB up to it, as with the range switch of a sound level meter. 70 to 75 suits a bedroom at night, 85 a residential street, 95 to 100 a road or aircraft, 120 a concert (default: levels are relative to full scale)',
    '--calibration <DB>': `with --reference-db: the sound pressure level that full scale stands for, ${LEAST_CALIBRATION_DB} to ${MOST_CALIBRATION_DB} (default: the last result of record calibrate)`,
    '--new-period':
      'begin a new period if weighting, time weighting or reference differ from those of earlier points',
  },
  kinds: {
    interval: read(durationBetween('10ms', '60s')),
    silenceDb: read(decibels(FLOOR_DB, 0)),
    weighting: choice(WEIGHTINGS),
    timeWeighting: choice(TIME_WEIGHTINGS),
    channel: read(CHANNEL),
    referenceDb: read(decibels(40, 160)),
    calibration: read(decibels(LEAST_CALIBRATION_DB, MOST_CALIBRATION_DB)),
    newPeriod: flag,
  },
};

/** @throws a usage error of the command */
export function readMeasuringOptions(given: Partial<ValuesOf<typeof MEASURING>>, command: Command) {
  const { interval = 100, silenceDb = -45, weighting = 'Z', timeWeighting, channel = 'mean' } = given;
  const { referenceDb, calibration, newPeriod = false } = given;
  if (calibration !== undefined && referenceDb === undefined)
    command.error('--calibration: needs --reference-db: without one, levels are relative to full scale');
  return {
    intervalMs: interval,
    /** On the scale of the stored levels. */
    silenceDb,
    weighting,
    /** Undefined for the RMS of each window. */
    timeWeighting,
    channel,
    /** The sound pressure level that a stored 0 stands for; undefined for levels relative to full scale. */
    referenceDb,
    /** The sound pressure level that full scale stands for; undefined if it was not given. */
    calibrationDb: calibration,
    /** Whether new levels may differ from earlier ones in weighting or reference. */
    isNewPeriod: newPeriod,
  };
}
export type MeasuringOptions = ReturnType<typeof readMeasuringOptions>;

/** The level of a full-scale sine, dB. */
const FULL_SINE_DB = -3;

/** @returns a warning if sound may clip below the top of the range; undefined otherwise */
export function unreachableRange({
  referenceDb,
  calibrationDb,
}: Pick<MeasuringOptions, 'referenceDb' | 'calibrationDb'>): string | undefined {
  if (referenceDb === undefined || calibrationDb === undefined) return undefined;
  const highest = calibrationDb + FULL_SINE_DB;
  if (referenceDb <= highest) return undefined;
  return `Warning: with this gain, sound clips at about ${highest.toFixed(1)} dB, below the reference of ${referenceDb} dB, so over_range stays 0. Choose a --reference-db of ${Math.floor(highest)} or less, or lower the gain and calibrate again.`;
}
