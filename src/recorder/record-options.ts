// The arguments of `record`: the sound's source and format, and the spool.
import type { Command } from 'commander';
import {
  apart,
  declareOptions,
  flag,
  givenOf,
  type Options,
  read,
  repeatable,
  textThat,
  type ValuesOf,
  wholeNumberBetween,
} from '../commands/command-options.ts';
import { durationBetween, parseInstant } from '../contract/instant.ts';
import { channelFault, parseSampleFormat, SAMPLE_FORMATS } from '../sound/sample-format.ts';
import { ALSO, repeatedLevel } from './also.ts';
import { MEASURING, readMeasuringOptions } from './measuring-options.ts';
import { FILE_START, START } from './sources/recording-start.ts';
import { storingMode } from './storing/point-store.ts';

const EXAMPLES = `
  record FILE.wav --start TIME
      measures a recording and stores its points, 50,000 at a time; refused if its time already has points
  record FILE.flac --zone UTC
      a file that ffmpeg can decode, if installed; the start comes from the file
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
const RAW = {
  help: {
    '--rate <HZ>': 'raw sound: samples per second, 1 to 1000000',
    '--format <NAME>': `raw sound: ${SAMPLE_FORMATS.join(', ')}, or an ALSA name, such as S24_LE for s24_32le`,
    '--channels <N>': 'raw sound: the number of channels, 1 to 64 (default 1)',
  },
  kinds: {
    rate: read(wholeNumberBetween(1, 1_000_000)),
    format: read(FORMAT),
    channels: read(wholeNumberBetween(1, 64)),
  },
};
const SPOOL = {
  help: {
    '--spool <FOLDER>':
      'live sound: the folder in which points wait for the database (default: in DATA_DIR). A service of another user stores them only if it has the same option',
    '--spool-max <TIME>':
      'live sound: how much of it may wait in the spool before the oldest points are dropped, 1m to 366d (default 7d)',
  },
  kinds: {
    spool: read(textThat('a folder', (text) => text !== '')),
    spoolMax: apart(read(durationBetween('1m', '366d')), 'start'),
  },
};
const LEVEL = { allowed: ALSO.join(' or '), parse: (text: string) => ALSO.find((also) => also === text) };
export const SOUND = {
  help: {
    ...MEASURING.help,
    ...RAW.help,
    '--also <NAME>':
      'also store another level of the same sound in the same windows; may be repeated. fast: the maximum of the fast time-weighted level in each window; C: the RMS of each window with C-weighting. Each goes to a station of its own, created if missing: garden_fast and garden_c for the station garden, fast and c for the default station',
    ...SPOOL.help,
    '--add':
      'store points even if a recording overlaps existing ones (default: refuse the recording; in a folder, skip it), or if another live recorder is storing points (default: refuse)',
  },
  kinds: { ...MEASURING.kinds, ...RAW.kinds, also: repeatable(LEVEL), ...SPOOL.kinds, add: flag },
};
const OPTIONS = {
  help: {
    ...START.help,
    ...SOUND.help,
    '--whole': 'measure a WAV file to its end if it holds more than its header says (default: refuse it)',
    '--replace':
      'replace existing points that a recording overlaps (default: refuse the recording; in a folder, skip it)',
    '--partial':
      'measure a file that is shorter or longer than its header says, up to the shorter length (default: refuse it)',
  },
  kinds: {
    ...START.kinds,
    ...SOUND.kinds,
    whole: apart(flag, 'partial', 'rate'),
    replace: apart(flag, 'add'),
    partial: apart(flag, 'rate'),
  },
};
export type GivenRecord = Partial<ValuesOf<typeof OPTIONS>>;

export const declareRecord = (command: Command): Command =>
  declareOptions(
    command
      .description('Measures sound and stores its points.')
      .argument('<FILE>', 'a recording, a folder of recordings, or - for standard input'),
    OPTIONS,
  ).addHelpText('after', EXAMPLES);

/** @param source a path, or `-`. @param now what `now` in --start means, canonical. @throws a usage error */
export function readRecord(source: string, given: GivenRecord, now: string, command: Command) {
  const { start, nameTime, zone, rate, format, channels = 1, also = [], spool, spoolMax } = given;
  const { add = false, replace = false, whole, partial } = given;
  const measuring = readMeasuringOptions(given, command);
  const isLive = source === '-';
  const refuse = ({ kinds }: Pick<Options, 'kinds'>, reason: string) => {
    for (const flags of givenOf(command, kinds)) command.error(`${flags}: ${reason}`);
  };
  const repeated = repeatedLevel({ ...measuring, also });
  if (repeated) command.error(`--also: ${repeated} would be the same as another level`);
  if (isLive) {
    refuse(FILE_START, 'not allowed with standard input');
    if (replace)
      command.error('--replace: not allowed with standard input: only a recording covers a known time');
    if (add && start !== undefined)
      command.error('--add: not needed with --start and standard input: such points are always added');
    if ((rate === undefined) !== (format === undefined))
      command.error(
        `${rate === undefined ? '--rate' : '--format'}: required; raw sound needs both --rate and --format (WAV needs neither)`,
      );
    if (rate === undefined && given.channels !== undefined)
      command.error('--channels: needs --rate and --format: WAV has the number of channels in its header');
  } else {
    refuse(SPOOL, 'not allowed with a file: its points are stored at once');
    refuse(RAW, 'not allowed with a file: its header has the format');
  }
  if (rate !== undefined && rate * measuring.intervalMs < 1000)
    command.error(
      `${given.interval === undefined ? '--rate' : '--interval'}: an interval of ${measuring.intervalMs} ms holds no sample at ${rate} samples per second`,
    );
  const noSuchChannel = rate && channelFault(measuring.channel, channels);
  if (noSuchChannel) command.error(`--channel: ${noSuchChannel}`);
  return {
    source,
    start: start && parseInstant(start, now),
    nameTime,
    zone,
    ...measuring,
    also,
    mode: storingMode(add, replace),
    reach: whole ? ('whole' as const) : partial ? ('partial' as const) : undefined,
    spool,
    spoolMaxMs: spoolMax ?? 7 * 86_400_000,
    /** Undefined for WAV, which has the format in its header. */
    raw: rate === undefined || format === undefined ? undefined : { rateHz: rate, format, channels },
  };
}
export type RecordOptions = ReturnType<typeof readRecord>;
