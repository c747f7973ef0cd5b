// Reads the arguments of `record` strictly: names every wrong one, and says what is allowed.
import { type Command, Option } from 'commander';
import { INSTANT_ALLOWED, parseInstant, UNIT_SECONDS } from '../contract/instant.ts';
import { FLOOR_DB } from '../contract/point.ts';
import { AppError } from '../errors.ts';
import { CHANNEL_ALLOWED, type ChannelChoice, channelFault, parseChannel } from './channel-choice.ts';
import { WEIGHTINGS, type Weighting } from './frequency-weighting.ts';
import { isSampleFormat, SAMPLE_FORMATS, type SampleFormat } from './sample-format.ts';
import { TIME_WEIGHTINGS, type TimeWeighting } from './time-weighting.ts';

const EXAMPLES = `
  record FILE.wav --start TIME
      measures a recording; all of its points are stored, or none
  record -
      the same from standard input, WAV; points are stored as they are measured
  record - --rate 16000 --format s16le
      raw PCM from standard input, as arecord, ffmpeg and sox write it
  record calibrate FILE.wav --level 94
      computes the calibration from a recording of a calibrator

A last window that is at least half an interval long is measured too; a shorter one is not.`;

/** The values of the options, each as often as it was given. */
interface GivenOptions {
  start?: string[];
  interval?: string[];
  silenceDb?: string[];
  weighting?: string[];
  timeWeighting?: string[];
  channel?: string[];
  rate?: string[];
  format?: string[];
  channels?: string[];
  spool?: string[];
  spoolMax?: string[];
}

interface GivenSource extends GivenOptions {
  record?: string[];
}

export function declareOptions(command: Command): Command {
  return declareSoundOptions(
    command
      .description('Measures sound and stores its points.')
      .argument('<FILE>', 'a WAV file, or - for standard input')
      .addOption(
        repeated(
          '--start <TIME>',
          `when the first sample was taken: ${INSTANT_ALLOWED}; on standard input the clock says it unless given`,
        ),
      ),
  ).addHelpText('after', EXAMPLES);
}

function declareSoundOptions(command: Command): Command {
  return command
    .addOption(repeated('--interval <TIME>', 'one point each: 10ms to 60s (default 100ms)'))
    .addOption(
      repeated('--silence-db <DB>', `windows below this level are silent: ${FLOOR_DB} to 0 (default -45)`),
    )
    .addOption(
      repeated(
        '--weighting <NAME>',
        'the frequency weighting of the level (IEC 61672-1): A, C, or Z for none (default Z); silence and frequency are measured without',
      ),
    )
    .addOption(
      repeated(
        '--time-weighting <NAME>',
        'the level is the maximum of the time weighting fast or slow in the window (default: the RMS of the window)',
      ),
    )
    .addOption(
      repeated(
        '--channel <N>',
        'of sound with several channels: one of them, from 1; mean for the mean of their energies; or max for the loudest in each window (default mean). The frequency is that of the loudest',
      ),
    )
    .addOption(repeated('--rate <HZ>', 'raw sound: samples a second, 1 to 1000000'))
    .addOption(repeated('--format <NAME>', `raw sound: ${SAMPLE_FORMATS.join(', ')}`))
    .addOption(repeated('--channels <N>', 'raw sound: how many it has, 1 to 64 (default 1)'))
    .addOption(
      repeated(
        '--spool <FOLDER>',
        'live sound, with DATABASE_URL: where points wait for the server (default DATA_DIR/spool-server)',
      ),
    )
    .addOption(
      repeated(
        '--spool-max <TIME>',
        'live sound: how much of it may wait there; then the oldest is dropped. 1m to 366d (default 7d)',
      ),
    );
}

const repeated = (flags: string, description: string) =>
  new Option(flags, description).argParser((text, before: string[] = []) => [...before, text]);

const RECORD_EXAMPLE = `
  --record 'arecord -f S16_LE -r 48000 -t raw' --rate 48000
      runs that program beside the service, measures the raw sound that it writes, and starts it again when it ends`;

/** For the service, which may run a program that records. */
export function declareSource(command: Command): Command {
  return declareSoundOptions(
    command.addOption(
      repeated(
        '--record <COMMAND>',
        'a program that writes raw sound, of --rate and --format (default s16le)',
      ),
    ),
  ).addHelpText('after', RECORD_EXAMPLE);
}

export interface RecordOptions {
  /** A path, or `-` for standard input. */
  source: string;
  /** Canonical; undefined on standard input when the clock sets it. */
  start: string | undefined;
  intervalMs: number;
  silenceDb: number;
  weighting: Weighting;
  /** Undefined for the RMS of each window. */
  timeWeighting: TimeWeighting | undefined;
  channel: ChannelChoice;
  /** Where points wait; undefined for the default. */
  spool: string | undefined;
  /** How much time the points of live sound cover that may wait. */
  spoolMaxMs: number;
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
  const faults: string[] = [];
  const fault = (argument: string, detail: string) => {
    faults.push(`${argument}: ${detail}`);
    return undefined;
  };
  function read<T>(name: keyof GivenOptions, parse: (text: string) => T | undefined, allowed: string) {
    const texts = given[name] ?? [];
    const flag = flagOf(name);
    if (texts.length > 1) fault(flag, `given ${texts.length} times; once is allowed`);
    const [text] = texts;
    if (text === undefined) return undefined;
    return parse(text) ?? fault(flag, `${JSON.stringify(text)} is not allowed; it must be ${allowed}`);
  }

  const start = read('start', (given) => parseInstant(given, now), INSTANT_ALLOWED);
  const intervalMs = read('interval', parseInterval, 'a whole number of ms or s, 10ms to 60s, such as 100ms');
  const silenceDb = read('silenceDb', parseDecibels, `a plain decimal number, ${FLOOR_DB} to 0`);
  const weighting = read('weighting', oneOf(WEIGHTINGS), 'A, C or Z');
  const timeWeighting = read('timeWeighting', oneOf(TIME_WEIGHTINGS), 'fast or slow');
  const channel = read('channel', parseChannel, CHANNEL_ALLOWED) ?? 'mean';
  const rateHz = read('rate', wholeNumber(1, 1_000_000), 'a whole number, 1 to 1000000');
  const channels = read('channels', wholeNumber(1, 64), 'a whole number, 1 to 64');
  const format = read(
    'format',
    (given) => (isSampleFormat(given) ? given : undefined),
    `one of ${SAMPLE_FORMATS.join(', ')}`,
  );

  const spool = read('spool', (given) => given || undefined, 'a folder');
  const spoolMaxMs = read('spoolMax', parseLength, 'a whole number of m, h or d, 1m to 366d, such as 7d');

  const has = (name: keyof GivenOptions) => given[name] !== undefined;
  if (source !== '-') {
    if (!has('start')) fault('--start', `missing; when the recording began: ${INSTANT_ALLOWED}`);
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

  const noSuchChannel = has('rate') ? channelFault(channel, channels ?? 1) : undefined;
  if (noSuchChannel) fault('--channel', noSuchChannel);

  if (has('spoolMax') && has('start'))
    fault('--spool-max', 'not allowed with --start: of live sound alone the oldest may be dropped');

  if (faults.length > 0) throw new AppError('BAD_REQUEST', faults.join('\n'));
  return {
    source,
    start,
    intervalMs: intervalMs ?? 100,
    silenceDb: silenceDb ?? -45,
    weighting: weighting ?? 'Z',
    timeWeighting,
    channel,
    spool,
    spoolMaxMs: spoolMaxMs ?? 7 * 86_400_000,
    raw:
      rateHz === undefined || format === undefined ? undefined : { rateHz, format, channels: channels ?? 1 },
  };
}

/** The program that the service runs, and how it is measured. */
export type SourceCommand = Omit<RecordOptions, 'source' | 'start' | 'raw'> & {
  /** For a shell. It writes raw sound to its standard output. */
  readonly command: string;
  readonly raw: RawFormat;
};

/**
 * @returns undefined where the service is to run none
 * @throws AppError BAD_REQUEST with one line for each wrong argument
 */
export function readSource({ record, ...given }: GivenSource): SourceCommand | undefined {
  const [command = ''] = record ?? [];
  if (!record) {
    const lines = Object.keys(given).map((name) => `${flagOf(name)}: not allowed without --record`);
    if (lines.length > 0) throw new AppError('BAD_REQUEST', lines.join('\n'));
    return undefined;
  }
  if (record.length > 1)
    throw new AppError('BAD_REQUEST', `--record: given ${record.length} times; once is allowed`);
  if (command.trim() === '') throw new AppError('BAD_REQUEST', '--record: empty; it must be a command');
  if (!given.rate)
    throw new AppError('BAD_REQUEST', '--rate: missing; how many samples a second the command writes');
  const {
    source: _source,
    start: _start,
    raw,
    ...measured
  } = readOptions('-', { ...given, format: given.format ?? ['s16le'] }, '');
  return raw && { command, raw, ...measured };
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function parseLength(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * 1000 * (UNIT_SECONDS[unit] ?? 0);
  return ms <= 366 * 86_400_000 ? ms : undefined;
}

function parseInterval(text: string): number | undefined {
  const match = /^([1-9]\d{0,5})(ms|s)$/.exec(text);
  const ms = Number(match?.[1]) * (match?.[2] === 's' ? 1000 : 1);
  return ms >= 10 && ms <= 60_000 ? ms : undefined;
}

function parseDecibels(text: string): number | undefined {
  if (!/^-?\d{1,2}(\.\d{1,6})?$/.test(text)) return undefined;
  const db = Number(text);
  return db >= FLOOR_DB && db <= 0 ? db : undefined;
}

function oneOf<Name extends string>(names: readonly Name[]) {
  return (text: string) => names.find((name) => name === text);
}

function wholeNumber(min: number, max: number) {
  return (text: string) => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}
