// The options that say how sound is measured: of `record`, and of the service that runs a recorder.
import type { Command } from 'commander';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { decimal, declareRepeated, type Given, type OptionReader, oneOf } from './option-reader.ts';
import { CHANNEL_ALLOWED, type ChannelChoice, parseChannel } from './sound/channel-choice.ts';
import { WEIGHTINGS, type Weighting } from './sound/frequency-weighting.ts';
import { TIME_WEIGHTINGS, type TimeWeighting } from './sound/time-weighting.ts';

export interface MeasuringOptions {
  intervalMs: number;
  /** On the scale of the levels that are stored. */
  silenceDb: number;
  weighting: Weighting;
  /** Undefined for the RMS of each window. */
  timeWeighting: TimeWeighting | undefined;
  channel: ChannelChoice;
  /** The sound pressure level that a stored 0 stands for; undefined for levels relative to full scale. */
  referenceDb: number | undefined;
  /** The sound pressure level that full scale stands for; undefined where none was given. */
  calibrationDb: number | undefined;
  /** Whether points may begin that do not compare with those before. */
  isNewPeriod: boolean;
}

type Name =
  | 'interval'
  | 'silenceDb'
  | 'weighting'
  | 'timeWeighting'
  | 'channel'
  | 'referenceDb'
  | 'calibration';
export type GivenMeasuring = Given<Name> & { newPeriod?: boolean };

export const [LEAST_CALIBRATION_DB, MOST_CALIBRATION_DB] = [40, 200];

const OPTIONS = {
  '--interval <TIME>': 'one point each: 10ms to 60s (default 100ms)',
  '--silence-db <DB>': `windows below this level are silent: ${FLOOR_DB} to 0 (default -45), relative to the reference where there is one`,
  '--weighting <NAME>':
    'the frequency weighting of the level (IEC 61672-1): A, C, or Z for unweighted, which counts DC and all below 10 Hz too (default Z); silence and frequency are unweighted',
  '--time-weighting <NAME>':
    'the level is the maximum of the time weighting fast or slow in the window (default: the RMS of the window)',
  '--channel <N>':
    'of sound with several channels: one of them, from 1; mean for the mean of their energies; or max for the loudest in each window (default mean). The frequency is that of the loudest',
  '--reference-db <DB>':
    'the sound pressure level that a stored 0 stands for, 40 to 160: levels are stored from 50 dB below it up to it, as by the range switch of a sound level meter. 70 to 75 suits a bedroom at night, 85 a residential street, 95 to 100 a road or aircraft, 120 a concert (default: levels are relative to full scale)',
  '--calibration <DB>': `with --reference-db: the sound pressure level that full scale stands for, ${LEAST_CALIBRATION_DB} to ${MOST_CALIBRATION_DB} (default: what record calibrate found last)`,
};

export function declareMeasuringOptions(command: Command): Command {
  return declareRepeated(command, OPTIONS).option(
    '--new-period',
    'begin a new period, where weighting, time weighting or reference are not those of the points before',
  );
}

export function readMeasuringOptions(
  { read, has, fault }: OptionReader<Name>,
  { newPeriod = false }: GivenMeasuring,
): MeasuringOptions {
  const intervalMs = read('interval', parseInterval, 'a whole number of ms or s, 10ms to 60s, such as 100ms');
  const silenceDb = read('silenceDb', decimal(FLOOR_DB, 0), `a plain decimal number, ${FLOOR_DB} to 0`);
  const weighting = read('weighting', oneOf(WEIGHTINGS), 'A, C or Z');
  const timeWeighting = read('timeWeighting', oneOf(TIME_WEIGHTINGS), 'fast or slow');
  const channel = read('channel', parseChannel, CHANNEL_ALLOWED);
  const referenceDb = read('referenceDb', decimal(40, 160), 'a plain decimal number of dB, 40 to 160');
  const calibrationDb = read(
    'calibration',
    decimal(LEAST_CALIBRATION_DB, MOST_CALIBRATION_DB),
    `a plain decimal number of dB, ${LEAST_CALIBRATION_DB} to ${MOST_CALIBRATION_DB}`,
  );
  if (has('calibration') && !has('referenceDb'))
    fault('--calibration', 'not allowed without --reference-db: levels relative to full scale need none');
  return {
    intervalMs: intervalMs ?? 100,
    silenceDb: silenceDb ?? -45,
    weighting: weighting ?? 'Z',
    timeWeighting,
    channel: channel ?? 'mean',
    referenceDb,
    calibrationDb,
    isNewPeriod: newPeriod,
  };
}

/** The level of a full-scale sine, dB. */
const FULL_SINE_DB = -3;

/** @returns a warning if sound that is clipped may lie below the top of the range; undefined if not */
export function unreachableRange({
  referenceDb,
  calibrationDb,
}: Pick<MeasuringOptions, 'referenceDb' | 'calibrationDb'>): string | undefined {
  if (referenceDb === undefined || calibrationDb === undefined) return undefined;
  const highest = calibrationDb + FULL_SINE_DB;
  if (referenceDb <= highest) return undefined;
  return `Warning: with this gain sound is clipped at about ${highest.toFixed(1)} dB, below the reference of ${referenceDb} dB. over_range then stays 0: see overload_percent. Choose a --reference-db of ${Math.floor(highest)} or less, or lower the gain and calibrate again.`;
}

function parseInterval(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})(ms|s)$/.exec(text);
  const ms = Number(match?.[1]) * (match?.[2] === 's' ? 1000 : 1);
  return ms >= 10 && ms <= 60_000 ? ms : undefined;
}
