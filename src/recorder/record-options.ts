// The arguments of `record`: the sound's source and format, and the spool.
import { type Command, Option } from 'commander';
import { UNIT_SECONDS } from '../contract/instant.ts';
import { ALSO, type Also } from './also.ts';
import {
  declareMeasuringOptions,
  type GivenMeasuring,
  type MeasuringOptions,
  readMeasuringOptions,
} from './measuring-options.ts';
import {
  createOptionReader,
  declareRepeated,
  flagOf,
  type Given,
  oneOf,
  wholeNumber,
} from './option-reader.ts';
import { channelFault } from './sound/channel-choice.ts';
import { parseSampleFormat, SAMPLE_FORMATS, type SampleFormat } from './sources/sample-format.ts';
import type { Reading } from './sources/sound-file.ts';
import {
  declareStartOptions,
  type GivenStart,
  readStartOptions,
  type StartOptions,
} from './start-options.ts';
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

export type GivenSound = GivenMeasuring &
  Given<'rate' | 'format' | 'channels' | 'also' | 'spool' | 'spoolMax'> & { readonly add?: boolean };
type GivenOptions = GivenSound &
  GivenStart & { readonly whole?: boolean; readonly partial?: boolean; readonly replace?: boolean };

export function declareOptions(command: Command): Command {
  return declareSoundOptions(
    declareStartOptions(
      command
        .description('Measures sound and stores its points.')
        .argument('<FILE>', 'a recording, a folder of recordings, or - for standard input'),
    ),
  )
    .addOption(
      new Option(
        '--whole',
        'measure a WAV file to its end if it holds more than its header says (default: refuse it)',
      ).conflicts('partial'),
    )
    .addOption(
      new Option(
        '--replace',
        'replace existing points that a recording overlaps (default: refuse the recording; in a folder, skip it)',
      ).conflicts('add'),
    )
    .option(
      '--partial',
      'measure a file that is shorter or longer than its header says, up to the shorter length (default: refuse it)',
    )
    .addHelpText('after', EXAMPLES);
}

const OPTIONS = {
  '--rate <HZ>': 'raw sound: samples per second, 1 to 1000000',
  '--format <NAME>': `raw sound: ${SAMPLE_FORMATS.join(', ')}, or an ALSA name, such as S24_LE for s24_32le`,
  '--channels <N>': 'raw sound: the number of channels, 1 to 64 (default 1)',
  '--also <NAME>':
    'also store a second level of the same sound in the same windows. NAME must be fast: the maximum of the fast time-weighted level in each window. It goes to a station of its own, created if missing: garden_fast for the station garden, and fast for the default station',
  '--spool <FOLDER>':
    'live sound: the folder in which points wait for the database (default: in DATA_DIR). A service of another user stores them only if it has the same option',
  '--spool-max <TIME>':
    'live sound: how much of it may wait in the spool before the oldest points are dropped, 1m to 366d (default 7d)',
};

export function declareSoundOptions(command: Command): Command {
  return declareRepeated(declareMeasuringOptions(command), OPTIONS).option(
    '--add',
    'store points even if a recording overlaps existing ones (default: refuse the recording; in a folder, skip it), or if another live recorder is storing points (default: refuse)',
  );
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
 * @throws AppError BAD_REQUEST with one line per wrong argument
 */
export function readOptions(source: string, given: GivenOptions, now: string): RecordOptions {
  const { newPeriod: _newPeriod, add = false, replace = false, whole, partial, ...texts } = given;
  const reader = createOptionReader<keyof typeof texts>(texts);
  const { read, has, fault } = reader;
  const measuring = readMeasuringOptions(reader, given);
  const rateHz = read('rate', wholeNumber(1, 1_000_000), 'a whole number, 1 to 1000000');
  const channels = read('channels', wholeNumber(1, 64), 'a whole number, 1 to 64');
  const format = read('format', parseSampleFormat, `one of ${SAMPLE_FORMATS.join(', ')}`);
  const also = read('also', oneOf(ALSO), 'fast');
  const spool = read('spool', (given) => given || undefined, 'a folder');
  const spoolMaxMs = read('spoolMax', parseLength, 'a whole number of m, h or d, 1m to 366d, such as 7d');
  const starting = readStartOptions(reader, source, now);

  if (also !== undefined && measuring.timeWeighting === also)
    fault('--also', `not allowed with --time-weighting ${also}: both levels would be the same`);
  if (source === '-' && replace)
    fault('--replace', 'not allowed with standard input: only a recording covers a known time');
  if (source === '-' && add && has('start'))
    fault('--add', 'not needed with --start and standard input: such points are always added');
  if (source !== '-') {
    for (const name of ['spool', 'spoolMax'] as const)
      if (has(name)) fault(flagOf(name), 'not allowed with a file: its points are stored at once');
    for (const name of ['rate', 'format', 'channels'] as const)
      if (has(name)) fault(`--${name}`, 'not allowed with a file: its header has the format');
  } else if (has('rate') !== has('format'))
    fault(
      has('rate') ? '--format' : '--rate',
      'required; raw sound needs both --rate and --format (WAV needs neither)',
    );
  else if (has('channels') && !has('rate'))
    fault('--channels', 'needs --rate and --format: WAV has the number of channels in its header');

  if ((whole || partial) && has('rate'))
    fault(whole ? '--whole' : '--partial', 'not allowed with raw sound, which has no header');

  if (rateHz !== undefined && rateHz * measuring.intervalMs < 1000)
    fault(
      has('interval') ? '--interval' : '--rate',
      `an interval of ${measuring.intervalMs} ms holds no sample at ${rateHz} samples per second`,
    );
  const noSuchChannel = has('rate') ? channelFault(measuring.channel, channels ?? 1) : undefined;
  if (noSuchChannel) fault('--channel', noSuchChannel);

  if (source === '-' && has('spoolMax') && has('start'))
    fault('--spool-max', 'not allowed with --start: only live sound may lose its oldest points');

  reader.end();
  return {
    source,
    ...starting,
    ...measuring,
    also,
    mode: add ? 'add' : replace ? 'replace' : 'new',
    reach: whole ? 'whole' : partial ? 'partial' : undefined,
    spool,
    spoolMaxMs: spoolMaxMs ?? 7 * 86_400_000,
    raw:
      rateHz === undefined || format === undefined ? undefined : { rateHz, format, channels: channels ?? 1 },
  };
}

function parseLength(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * 1000 * (UNIT_SECONDS[unit] ?? 0);
  return ms <= 366 * 86_400_000 ? ms : undefined;
}
