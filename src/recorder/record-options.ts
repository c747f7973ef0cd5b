// The arguments of `record`: where sound comes from, and where its points wait.
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
      measures a recording and stores its points, 50,000 at a time. It is refused if its time has points
  record FILE.flac --zone UTC
      what ffmpeg or sox decodes, where it is installed; the file itself says when it began
  record FOLDER --name-time rec_YYYYMMDD_HHmmss --zone Europe/Vienna
      each recording in it once; those whose time has points already are passed over
  record -
      the same from standard input, WAV; points are stored as they are measured
  record - --rate 16000 --format s16le
      raw PCM from standard input, as arecord, ffmpeg and sox write it
  record calibrate FILE.wav --level 94
      computes the calibration from a recording of a calibrator, and keeps it

A last window that is at least half an interval long is measured too; a shorter one is not.`;

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
        'measure a file to its end if its WAV header says less than it holds (default: it is refused)',
      ).conflicts('partial'),
    )
    .addOption(
      new Option(
        '--replace',
        'remove the points that are in the time of a recording, and store its own (default: it is refused, or in a folder passed over)',
      ).conflicts('add'),
    )
    .option(
      '--partial',
      'measure what the header of a file says, as far as the sound goes, if it holds less or more (default: it is refused)',
    )
    .addHelpText('after', EXAMPLES);
}

const OPTIONS = {
  '--rate <HZ>': 'raw sound: samples a second, 1 to 1000000',
  '--format <NAME>': `raw sound: ${SAMPLE_FORMATS.join(', ')}, or ALSA's name of one, such as S24_LE for s24_32le`,
  '--channels <N>': 'raw sound: how many it has, 1 to 64 (default 1)',
  '--also <NAME>':
    'store a second level of the same sound, in the same windows: fast, the maximum of the time weighting fast in each. It is that of a station of its own, NAME_fast beside the station NAME, and fast beside the default one, which is made if it is missing',
  '--spool <FOLDER>':
    'live sound: where points wait, such as for a service of another user, which has the same option (default: in DATA_DIR)',
  '--spool-max <TIME>':
    'live sound: how much of it may wait there; then the oldest is dropped. 1m to 366d (default 7d)',
};

export function declareSoundOptions(command: Command): Command {
  return declareRepeated(declareMeasuringOptions(command), OPTIONS).option(
    '--add',
    'store points beside others: a recording at a time that has points (default: it is refused, or in a folder passed over), live ones beside those of another live recorder (default: refused)',
  );
}

export interface RecordOptions extends MeasuringOptions, StartOptions {
  /** A path, or `-` for standard input. */
  source: string;
  /** Where points wait; undefined for the default. */
  spool: string | undefined;
  /** How much time the points of live sound cover that may wait. */
  spoolMaxMs: number;
  mode: Mode;
  /** The second level, in a station of its own. */
  also: Also | undefined;
  reach: Reading['reach'];
  /** Undefined when the source is WAV, whose header says this. */
  raw: RawFormat | undefined;
}

export interface RawFormat {
  rateHz: number;
  format: SampleFormat;
  channels: number;
}

/**
 * @param source a path, or `-`
 * @param now what `now` in --start means, canonical
 * @throws AppError BAD_REQUEST with one line for each wrong argument
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
    fault('--replace', 'not allowed with standard input: a recording alone has a time that is known');
  if (source === '-' && add && has('start'))
    fault('--add', 'not allowed with --start and standard input: such points are always added');
  if (source !== '-') {
    for (const name of ['spool', 'spoolMax'] as const)
      if (has(name)) fault(flagOf(name), 'not allowed with a file: its points are stored at once');
    for (const name of ['rate', 'format', 'channels'] as const)
      if (has(name)) fault(`--${name}`, 'not allowed with a file: a WAV file says it itself');
  } else if (has('rate') !== has('format'))
    fault(
      has('rate') ? '--format' : '--rate',
      'missing; raw sound needs both --rate and --format (WAV needs neither)',
    );
  else if (has('channels') && !has('rate'))
    fault('--channels', 'not allowed without --rate and --format: WAV says it itself');

  if ((whole || partial) && has('rate'))
    fault(whole ? '--whole' : '--partial', 'not allowed with raw sound, which has no header');

  if (rateHz !== undefined && rateHz * measuring.intervalMs < 1000)
    fault(
      has('interval') ? '--interval' : '--rate',
      `an interval of ${measuring.intervalMs} ms holds no sample at ${rateHz} samples a second`,
    );
  const noSuchChannel = has('rate') ? channelFault(measuring.channel, channels ?? 1) : undefined;
  if (noSuchChannel) fault('--channel', noSuchChannel);

  if (source === '-' && has('spoolMax') && has('start'))
    fault('--spool-max', 'not allowed with --start: of live sound alone the oldest may be dropped');

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
