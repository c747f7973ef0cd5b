// The `record calibrate` command: computes the sound pressure level of full scale from a recording of a calibrator.
import { Command } from 'commander';
import {
  decibels,
  declareOptions,
  needed,
  preset,
  read,
  type ValuesOf,
} from '../commands/command-options.ts';
import { BadInput, interrupted, saidIfSlow } from '../commands/input-files.ts';
import { messageOf } from '../commands/progress.ts';
import type { CalibrationCheck } from '../contract/calibrations.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { createFrequencyMeter } from '../sound/dominant-frequency.ts';
import { findTone, type ToneWindow, WINDOWS_A_SECOND } from '../sound/find-tone.ts';
import { toneEnergyNear } from '../sound/fit-tone.ts';
import {
  CHANNEL,
  type ChannelChoice,
  createDecoder,
  mixPowers,
  pickChannels,
  type Sound,
} from '../sound/sample-format.ts';
import { loudestOf, powerOf, sumsOf } from '../sound/window-power.ts';
import { addCalibration, readCalibrations } from './calibrations.ts';
import type { RecorderIo } from './recorder-io.ts';
import { createByteReader } from './sources/byte-reader.ts';
import { openWav, type WavFile } from './sources/wav-file.ts';

const ABOUT = `Computes CALIBRATION_OFFSET_DB from a recording of a sound calibrator (94 or 114 dB at 1 kHz) or of a \
pistonphone (at 250 Hz). It measures only the tone, in the longest steady part, and stores no points. It adds the result to \
DATA_DIR/calibration.json, where record uses the newest entry, and to the database for service.info. Make the recording with \
the microphone, gain and --channel that you will measure with.`;

const LEVEL = decibels(50, 150);
const OPTIONS = {
  help: {
    '--level <DB>': `the sound pressure level of the calibrator: ${LEVEL.allowed}`,
    '--channel <N>': `the same as for record: ${CHANNEL.allowed}`,
  },
  kinds: { level: needed(read(LEVEL)), channel: preset(read(CHANNEL), 'mean') },
};
/** The frequency meter's largest rounding error: it returns whole hertz. */
const HALF_HZ = 0.5;
/** The largest difference that ISO 1996-2 accepts between the calibrations before and after a measurement. */
const MOST_DRIFT_DB = 0.5;
/** Below this rate, half the rate is too close to 1 kHz plus its tolerance. */
const LEAST_RATE_HZ = 2100;

export function calibrateCommand(open: () => RecorderIo): Command {
  const command = new Command('calibrate')
    .summary('compute the calibration from a recording of a sound calibrator')
    .description(ABOUT)
    .argument('<FILE>', 'a WAV file');
  return declareOptions(command, OPTIONS).action((path: string, given: ValuesOf<typeof OPTIONS>) =>
    calibrate(path, given, open()),
  );
}

/**
 * Prints and saves the offset: the calibrator's level minus the measured level of its tone. A full-scale sine measures
 * -3.01 dB.
 *
 * @throws BadInput, with the reason, if this is not a recording of a calibrator
 */
async function calibrate(path: string, { level, channel }: ValuesOf<typeof OPTIONS>, io: RecorderIo) {
  await using file = await saidIfSlow(path, openWav(path, { say: io.progress }), io.progress);
  const { rateHz } = file.header;
  const fault = (reason: string) => new BadInput(`${path} is not a recording of a calibrator: ${reason}`);
  if (rateHz < LEAST_RATE_HZ) throw fault(`${rateHz} samples per second cannot hold a tone of 1 kHz`);
  const { levelDb, frequencyHz, from, to } = findTone(await measure(file, channel, io.signal), fault);
  const offset = (level - levelDb).toFixed(2);
  const calibration: CalibrationCheck = {
    time: io.now(),
    level_db: level,
    frequency_hz: frequencyHz,
    offset_db: Number(offset),
    channel: String(channel),
  };
  io.progress(
    `Found a tone of ${frequencyHz} Hz at ${levelDb.toFixed(2)} dB relative to full scale, from ${from} s to ${to} s.`,
  );
  io.progress(`Full scale (0 dB) is a sound pressure level of ${offset} dB.`);
  const before = (await readCalibrations(io.calibrationFile)).findLast(
    (each) => each.channel === calibration.channel,
  );
  await addCalibration(io.calibrationFile, calibration);
  io.progress(
    `Saved in ${io.calibrationFile}. A recorder with --reference-db uses it from its next start. For points without a reference, ${io.station === DEFAULT_STATION ? 'set' : 'run'}:`,
  );
  io.print(
    io.station === DEFAULT_STATION
      ? `CALIBRATION_OFFSET_DB=${offset}`
      : `npm run station -- set ${io.station} --calibration-offset-db ${offset}`,
  );
  if (before) for (const line of compared(before, calibration)) io.progress(line);
  await storeChecks(io);
}

/** If the database is unavailable, the file still has the calibration. */
async function storeChecks(io: RecorderIo): Promise<void> {
  try {
    await io.storeChecks(await readCalibrations(io.calibrationFile));
  } catch (error) {
    io.progress(
      `The database does not have it yet: ${messageOf(error)}. The next calibration, or the next start of a service that records, stores it there.`,
    );
  }
}

function compared(before: CalibrationCheck, { offset_db }: CalibrationCheck): string[] {
  const drift = Math.round(100 * (offset_db - before.offset_db)) / 100;
  const change =
    drift === 0
      ? 'the same'
      : `the new one is ${Math.abs(drift).toFixed(2)} dB ${drift > 0 ? 'higher' : 'lower'}`;
  const line = `The previous calibration, of ${before.time}, was ${before.offset_db.toFixed(2)} dB: ${change}.`;
  if (Math.abs(drift) <= MOST_DRIFT_DB) return [line];
  return [
    line,
    `Warning: the two differ by more than ${MOST_DRIFT_DB} dB. Discard the measurements between them (ISO 1996-2).`,
  ];
}

async function measure({ header, sound }: WavFile, channel: ChannelChoice, signal: AbortSignal) {
  const { rateHz, format, channels, frameBytes } = header;
  const decode = createDecoder(format, channels, pickChannels(channel, channels));
  const measureWindow = createToneMeter(rateHz, channel);
  const windows: ToneWindow[] = [];
  const reader = createByteReader(sound());
  const bytes = Math.floor(rateHz / WINDOWS_A_SECOND) * frameBytes;
  for (;;) {
    if (signal.aborted) throw interrupted();
    const window = await reader.read(bytes);
    if (window.length < bytes) return windows;
    windows.push(measureWindow(decode(window)));
  }
}

function createToneMeter(rateHz: number, channel: ChannelChoice) {
  const frequencyOf = createFrequencyMeter(rateHz);
  return (window: Sound): ToneWindow => {
    const sums = window.map(sumsOf);
    const frequencyHz = frequencyOf(loudestOf(window, sums));
    const toneOf = (samples: Float32Array) =>
      frequencyHz === null
        ? 0
        : toneEnergyNear(samples, frequencyHz / rateHz, HALF_HZ / rateHz) / samples.length;
    return {
      power: powerOf(channel, window, sums),
      tonePower: mixPowers(channel, window.map(toneOf)),
      peak: Math.max(...sums.map(({ peak }) => peak)),
      frequencyHz,
    };
  };
}
