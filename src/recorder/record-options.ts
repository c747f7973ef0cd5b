// Reads the arguments of `record` strictly: names every wrong one, and says what is allowed.
import { parseArgs } from 'node:util';
import { INSTANT_ALLOWED, parseInstant } from '../contract/instant.ts';
import { FLOOR_DB } from '../contract/point.ts';
import { AppError } from '../errors.ts';
import { isSampleFormat, SAMPLE_FORMATS, type SampleFormat } from './sample-format.ts';

export const RECORD_USAGE = `Usage:
  record FILE.wav --start TIME [--interval 100ms] [--silence-db -45]
      measures a recording; all of its points are stored, or none
  record - [--start TIME] [--interval 100ms] [--silence-db -45]
      the same from standard input, WAV; points are stored as they are measured
  record - --rate 16000 --format s16le [--channels 1] [...]
      raw PCM from standard input, as arecord, ffmpeg and sox write it

  --start TIME      when the first sample was taken: ${INSTANT_ALLOWED};
                    on standard input the time at which the sound begins to arrive unless given
  --interval TIME   one point each: 10ms to 60s (default 100ms)
  --silence-db DB   windows below this level are silent: ${FLOOR_DB} to 0 (default -45)
  --rate HZ         samples a second, 1 to 1000000
  --format NAME     ${SAMPLE_FORMATS.join(', ')}
  --channels N      1 to 64 (default 1); measured is their mean

A last window that is at least half an interval long is measured too; a shorter one is not.`;

export interface RecordOptions {
  /** A path, or `-` for standard input. */
  source: string;
  /** Canonical; undefined on standard input when the clock sets it. */
  start: string | undefined;
  intervalMs: number;
  silenceDb: number;
  /** Undefined when the source is WAV, whose header says this. */
  raw: { rateHz: number; format: SampleFormat; channels: number } | undefined;
}

const OPTIONS = {
  start: { type: 'string', multiple: true },
  interval: { type: 'string', multiple: true },
  'silence-db': { type: 'string', multiple: true },
  rate: { type: 'string', multiple: true },
  format: { type: 'string', multiple: true },
  channels: { type: 'string', multiple: true },
} as const;

/**
 * @param now what `now` in --start means, canonical
 * @throws AppError BAD_REQUEST with one line for each wrong argument
 */
export function parseRecordArgs(args: readonly string[], now: string): RecordOptions {
  const { values, positionals } = readArgs(args);
  const faults: string[] = [];
  const fault = (argument: string, detail: string) => {
    faults.push(`${argument}: ${detail}`);
    return undefined;
  };
  const text = (name: keyof typeof OPTIONS): string | undefined => {
    const given = values[name] ?? [];
    if (given.length > 1) fault(`--${name}`, `given ${given.length} times; once is allowed`);
    return given[0];
  };
  function read<T>(name: keyof typeof OPTIONS, parse: (text: string) => T | undefined, allowed: string) {
    const given = text(name);
    if (given === undefined) return undefined;
    return (
      parse(given) ?? fault(`--${name}`, `${JSON.stringify(given)} is not allowed; it must be ${allowed}`)
    );
  }

  const [source = '', ...surplus] = positionals;
  if (source === '') fault('FILE', 'missing; a WAV file, or - for standard input');
  if (surplus.length > 0) fault('FILE', `one is allowed, but there is also ${surplus.join(' ')}`);
  const start = read('start', (given) => parseInstant(given, now), INSTANT_ALLOWED);
  const intervalMs = read('interval', parseInterval, 'a whole number of ms or s, 10ms to 60s, such as 100ms');
  const silenceDb = read('silence-db', parseDecibels, `a plain decimal number, ${FLOOR_DB} to 0`);
  const rateHz = read('rate', wholeNumber(1, 1_000_000), 'a whole number, 1 to 1000000');
  const channels = read('channels', wholeNumber(1, 64), 'a whole number, 1 to 64');
  const format = read(
    'format',
    (given) => (isSampleFormat(given) ? given : undefined),
    `one of ${SAMPLE_FORMATS.join(', ')}`,
  );

  const has = (name: keyof typeof OPTIONS) => values[name] !== undefined;
  if (source !== '-' && source !== '') {
    if (!has('start')) fault('--start', `missing; when the recording began: ${INSTANT_ALLOWED}`);
    for (const name of ['rate', 'format', 'channels'] as const)
      if (has(name)) fault(`--${name}`, 'not allowed with a file: a WAV file says it itself');
  } else if (has('rate') !== has('format'))
    fault(
      has('rate') ? '--format' : '--rate',
      'missing; raw sound needs both --rate and --format (WAV needs neither)',
    );
  else if (has('channels') && !has('rate'))
    fault('--channels', 'not allowed without --rate and --format: WAV says it itself');

  if (faults.length > 0) throw new AppError('BAD_REQUEST', faults.join('\n'));
  return {
    source,
    start,
    intervalMs: intervalMs ?? 100,
    silenceDb: silenceDb ?? -45,
    raw:
      rateHz === undefined || format === undefined ? undefined : { rateHz, format, channels: channels ?? 1 },
  };
}

function readArgs(args: readonly string[]) {
  // A negative number after an option is its value; parseArgs would take it for another option.
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1);
    if (last === '--silence-db' && /^-[\d.]/.test(arg)) joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  try {
    return parseArgs({ args: joined, options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    const [what = ''] = (error instanceof Error ? error.message : String(error)).split('. To specify');
    throw new AppError('BAD_REQUEST', what);
  }
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

function wholeNumber(min: number, max: number) {
  return (text: string) => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}
