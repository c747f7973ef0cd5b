// The arguments of `record`: the sound's source and format, and the spool.
import type { Command, Option } from 'commander';
import {
  choice,
  declareOptions,
  flag,
  givenOf,
  option,
  textThat,
  type ValuesOf,
  wholeNumber,
} from '../command-options.ts';
import { durationBetween } from '../contract/duration.ts';
import { parseInstant } from '../contract/instant.ts';
import { ALSO, type Also } from './also.ts';
import { MEASURING_OPTIONS, type MeasuringOptions, readMeasuringOptions } from './measuring-options.ts';
import { channelFault } from './sound/channel-choice.ts';
import { parseSampleFormat, SAMPLE_FORMATS, type SampleFormat } from './sources/sample-format.ts';
import type { Reading } from './sources/sound-file.ts';
import { FILE_START_OPTIONS, START_OPTIONS, type StartOptions } from './start-options.ts';
import type { Mode } from './storing/point-store.ts';

const EXAMPLES = `
  record FILE.wav --start TIME
      measures a recording and stores its points, 50,000 at a time; refused if its time already has points
  record FILE.flac --zone UTC
      a file that ffmpeg or sox can decode, if installed; the start comes from the file
  record FOLDER --name-time rec_YYYYMMDD_HHmmss --zone Europe/Vienna
      all recordings in a folder; skips those whose time already has points
  record -
      WAV from standard input; stores points as they are measured
  record - --rate 16000 --format s16le
      raw PCM from standard input, as arecord, ffmpeg and sox write it
  record calibrate FILE.wav --level 94
      computes and saves the calibration from a recording of a sound calibrator

The last window is measured if it is at least half an interval long.`;

const FORMAT = { allowed: `one of ${SAMPLE_FORMATS.join(', ')}`, parse: parseSampleFormat };
const RAW_OPTIONS = {
  rate: option('--rate <HZ>', 'raw sound: samples per second, 1 to 1000000', wholeNumber(1, 1_000_000)),
  format: option(
    '--format <NAME>',
    `raw sound: ${SAMPLE_FORMATS.join(', ')}, or an ALSA name, such as S24_LE for s24_32le`,
    FORMAT,
  ),
  channels: option(
    '--channels <N>',
    'raw sound: the number of channels, 1 to 64 (default 1)',
    wholeNumber(1, 64),
  ),
};
const SPOOL_OPTIONS = {
  spool: option(
    '--spool <FOLDER>',
    'live sound: the folder in which points wait for the database (default: in DATA_DIR). A service of another user stores them only if it has the same option',
    textThat('a folder', (text) => text !== ''),
  ),
  spoolMax: option(
    '--spool-max <TIME>',
    'live sound: how much of it may wait in the spool before the oldest points are dropped, 1m to 366d (default 7d)',
    durationBetween('1m', '366d'),
  ).conflicts('start'),
};
export const SOUND_OPTIONS = {
  ...MEASURING_OPTIONS,
  ...RAW_OPTIONS,
  also: choice(
    '--also <NAME>',
    'also store a second level of the same sound in the same windows. NAME must be fast: the maximum of the fast time-weighted level in each window. It goes to a station of its own, created if missing: garden_fast for the station garden, and fast for the default station',
    ALSO,
  ),
  ...SPOOL_OPTIONS,
  add: flag(
    '--add',
    'store points even if a recording overlaps existing ones (default: refuse the recording; in a folder, skip it), or if another live recorder is storing points (default: refuse)',
  ),
};
const OPTIONS = {
  ...START_OPTIONS,
  ...SOUND_OPTIONS,
  whole: flag(
    '--whole',
    'measure a WAV file to its end if it holds more than its header says (default: refuse it)',
  ).conflicts(['partial', 'rate']),
  replace: flag(
    '--replace',
    'replace existing points that a recording overlaps (default: refuse the recording; in a folder, skip it)',
  ).conflicts('add'),
  partial: flag(
    '--partial',
    'measure a file that is shorter or longer than its header says, up to the shorter length (default: refuse it)',
  ).conflicts('rate'),
};
export type GivenRecord = Partial<ValuesOf<typeof OPTIONS>>;

export function declareRecord(command: Command): Command {
  return declareOptions(
    command
      .description('Measures sound and stores its points.')
      .argument('<FILE>', 'a recording, a folder of recordings, or - for standard input'),
    OPTIONS,
  ).addHelpText('after', EXAMPLES);
}

export interface RecordOptions extends MeasuringOptions, StartOptions {
  /** A path, or `-` for standard input. */
  source: string;
  /** The spool folder; undefined for the default. */
  spool: string | undefined;
  /** How much time the waiting points of live sound may cover. */
  spoolMaxMs: number;
  mode: Mode;
  also: Also | undefined;
  reach: Reading['reach'];
  /** Undefined for WAV, which has the format in its header. */
  raw: RawFormat | undefined;
}

export interface RawFormat {
  rateHz: number;
  format: SampleFormat;
  channels: number;
}

/**
 * @param source a path, or `-`
 * @param now the time that `now` in --start means, canonical
 * @throws a usage error of the command
 */
export function readRecord(source: string, given: GivenRecord, now: string, command: Command): RecordOptions {
  const { start, nameTime, zone, rate, format, channels, also, spool, spoolMax } = given;
  const { add = false, replace = false, whole, partial } = given;
  const measuring = readMeasuringOptions(given, command);
  const isLive = source === '-';
  const refuse = (options: Readonly<Record<string, Option>>, reason: string) => {
    for (const { long } of givenOf(command, options)) command.error(`${long}: ${reason}`);
  };
  if (also !== undefined && measuring.timeWeighting === also)
    command.error(`--also: not allowed with --time-weighting ${also}: both levels would be the same`);
  if (isLive) {
    refuse(FILE_START_OPTIONS, 'not allowed with standard input');
    if (replace)
      command.error('--replace: not allowed with standard input: only a recording covers a known time');
    if (add && start !== undefined)
      command.error('--add: not needed with --start and standard input: such points are always added');
    if (rate === undefined && format !== undefined)
      command.error('--rate: required; raw sound needs both --rate and --format (WAV needs neither)');
    if (rate !== undefined && format === undefined)
      command.error('--format: required; raw sound needs both --rate and --format (WAV needs neither)');
    if (rate === undefined && channels !== undefined)
      command.error('--channels: needs --rate and --format: WAV has the number of channels in its header');
  } else {
    refuse(SPOOL_OPTIONS, 'not allowed with a file: its points are stored at once');
    refuse(RAW_OPTIONS, 'not allowed with a file: its header has the format');
  }
  if (rate !== undefined && rate * measuring.intervalMs < 1000)
    command.error(
      `${given.interval === undefined ? '--rate' : '--interval'}: an interval of ${measuring.intervalMs} ms holds no sample at ${rate} samples per second`,
    );
  const noSuchChannel = rate && channelFault(measuring.channel, channels ?? 1);
  if (noSuchChannel) command.error(`--channel: ${noSuchChannel}`);
  return {
    source,
    start: start && parseInstant(start, now),
    nameTime,
    zone,
    ...measuring,
    also,
    mode: add ? 'add' : replace ? 'replace' : 'new',
    reach: whole ? 'whole' : partial ? 'partial' : undefined,
    spool,
    spoolMaxMs: spoolMax ?? 7 * 86_400_000,
    raw:
      rate === undefined || format === undefined
        ? undefined
        : { rateHz: rate, format, channels: channels ?? 1 },
  };
}
