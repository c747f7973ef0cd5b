import { Command } from 'commander';
import { expect, it } from 'vitest';
import { strictly } from '../../src/cli/command-line.ts';
import {
  declareRecord,
  type GivenRecord,
  type RecordOptions,
  readRecord,
} from '../../src/recorder/record-options.ts';
import { NOW } from './run.ts';

function parseRecordArgs(args: string[]): RecordOptions | undefined {
  let options: RecordOptions | undefined;
  const command = declareRecord(new Command('record')).action((source: string, given: GivenRecord) => {
    options = readRecord(source, given, NOW, command);
  });
  strictly(command).parse(args, { from: 'user' });
  return options;
}

const FILE = ['a.wav', '--start', 'now-1h'];

it('A file is measured ten times a second by default', () => {
  expect(parseRecordArgs(FILE)).toEqual({
    source: 'a.wav',
    start: '2026-05-05T11:00:00.000000Z',
    intervalMs: 100,
    silenceDb: -45,
    weighting: 'Z',
    timeWeighting: undefined,
    channel: 'mean',
    referenceDb: undefined,
    calibrationDb: undefined,
    isNewPeriod: false,
    spool: undefined,
    mode: 'new',
    spoolMaxMs: 7 * 86_400_000,
    raw: undefined,
  });
});

it('Every option is read, even a negative number after a space', () => {
  const args =
    '- --rate 16000 --format s24be --channels 2 --interval 2s --silence-db -30.5 --weighting A --time-weighting fast --channel 2 --reference-db 85.5 --calibration 120.11 --new-period --start 2026-01-01T00:00:00Z';
  expect(parseRecordArgs(args.split(' '))).toEqual({
    source: '-',
    start: '2026-01-01T00:00:00.000000Z',
    intervalMs: 2000,
    silenceDb: -30.5,
    weighting: 'A',
    timeWeighting: 'fast',
    channel: 2,
    referenceDb: 85.5,
    calibrationDb: 120.11,
    isNewPeriod: true,
    spool: undefined,
    mode: 'new',
    spoolMaxMs: 7 * 86_400_000,
    raw: { rateHz: 16_000, format: 's24be', channels: 2 },
  });
});

it('A length of time may have any unit', () => {
  const read = (...args: string[]) => parseRecordArgs(['-', ...args]);
  expect(read('--interval', '0.1s')).toMatchObject({ intervalMs: 100 });
  expect(read('--interval', '1m', '--spool-max', '1.5h')).toMatchObject({
    intervalMs: 60_000,
    spoolMaxMs: 5_400_000,
  });
});

it.each([
  [
    [],
    "Missing required argument 'FILE'\nFILE: a recording, a folder of recordings, or - for standard input",
  ],
  [['a.wav', 'b.wav', '--start', 'now'], 'Expected 1 argument but got 2: a.wav, b.wav'],
  [[...FILE, '--whole', '--partial'], "Option '--whole' cannot be used with option '--partial'"],
  [
    ['a.wav', '--start', 'now', '--zone', 'UTC'],
    "Option '--zone <ZONE>' cannot be used with option '--start <TIME>'",
  ],
  [['-', '--name-time', 'YYYYMMDD'], '--name-time: not allowed with standard input'],
  [
    ['a.wav', '--name-time', 'HHmmss'],
    "Option '--name-time <PATTERN>' argument 'HHmmss' is invalid. It must be a pattern of YYYY",
  ],
  [
    ['a.wav', '--start', 'yesterday'],
    "Option '--start <TIME>' argument 'yesterday' is invalid. It must be an RFC 3339 time",
  ],
  [[...FILE, '--start', 'now'], "Option '--start <TIME>' may be given only once"],
  [
    [...FILE, '--interval', '9ms'],
    "Option '--interval <TIME>' argument '9ms' is invalid. It must be a length of time from 10ms to 60s",
  ],
  [[...FILE, '--interval', '61s'], "'61s' is invalid. It must be a length of time"],
  [
    ['-', '--rate', '5', '--format', 's16le'],
    '--rate: an interval of 100 ms holds no sample at 5 samples per second',
  ],
  [['-', '--rate', '50', '--format', 's16le', '--interval', '10ms'], '--interval: an interval of 10 ms'],
  [[...FILE, '--interval', '10.5ms'], "'10.5ms' is invalid"],
  [[...FILE, '--interval', '100'], "'100' is invalid"],
  [
    [...FILE, '--silence-db', '-51'],
    "Option '--silence-db <DB>' argument '-51' is invalid. It must be a plain decimal number of dB, -50 to 0",
  ],
  [[...FILE, '--silence-db', '1e1'], "'1e1' is invalid"],
  [
    [...FILE, '--weighting', 'a'],
    "Option '--weighting <NAME>' argument 'a' is invalid. Allowed choices are A, C, Z.",
  ],
  [
    [...FILE, '--time-weighting', 'impulse'],
    "Option '--time-weighting <NAME>' argument 'impulse' is invalid. Allowed choices are fast, slow.",
  ],
  [
    [...FILE, '--channel', '0'],
    "Option '--channel <N>' argument '0' is invalid. It must be a channel from 1 to 64, mean or max",
  ],
  [
    '- --rate 8000 --format s16le --channels 2 --channel 3'.split(' '),
    '--channel: "3" is not allowed; the sound has 2 channels, so it must be 1 to 2, mean or max',
  ],
  [
    '- --rate 8000 --format s16le --channel 2'.split(' '),
    '--channel: "2" is not allowed; the sound has one channel, so it must be 1, mean or max',
  ],
  ...['39.9', '160.1', '-85', '8.5e1', 'loud', ''].map((db): [string[], string] => [
    [...FILE, '--reference-db', db],
    `Option '--reference-db <DB>' argument '${db}' is invalid. It must be a plain decimal number of dB, 40 to 160`,
  ]),
  ...['39', '200.5', '+120'].map((db): [string[], string] => [
    [...FILE, '--reference-db', '85', '--calibration', db],
    `Option '--calibration <DB>' argument '${db}' is invalid. It must be a plain decimal number of dB, 40 to 200`,
  ]),
  [[...FILE, '--calibration', '120'], '--calibration: needs --reference-db'],
  [
    [...FILE, '--reference-db', '85', '--reference-db', '95'],
    "Option '--reference-db <DB>' may be given only once",
  ],
  [
    ['-', '--spool-max', '8w'],
    "Option '--spool-max <TIME>' argument '8w' is invalid. It must be a length of time from 1m to 366d, in ms, s, m, h or d",
  ],
  [['-', '--spool-max', '367d'], "'367d' is invalid"],
  [
    ['-', '--spool-max', '1d', '--start', 'now'],
    "Option '--spool-max <TIME>' cannot be used with option '--start <TIME>'",
  ],
  [[...FILE, '--spool', 'there'], '--spool: not allowed with a file: its points are stored at once'],
  [[...FILE, '--rate', '8000'], '--rate: not allowed with a file: its header has the format'],
  [['-', '--rate', '8000'], '--format: required; raw sound needs both --rate and --format'],
  [['-', '--format', 's16le'], '--rate: required'],
  [
    '- --rate 8000 --format s16le --whole'.split(' '),
    "Option '--whole' cannot be used with option '--rate <HZ>'\n--rate <HZ>: raw sound",
  ],
  [['-', '--channels', '2'], '--channels: needs --rate and --format'],
  [
    ['-', '--rate', '0', '--format', 's16le'],
    "Option '--rate <HZ>' argument '0' is invalid. It must be a whole number, 1 to 1000000",
  ],
  [
    ['-', '--rate', '8000', '--format', 'mp3'],
    "Option '--format <NAME>' argument 'mp3' is invalid. It must be one of u8, s8, s16le",
  ],
  [
    [...FILE, '--loud'],
    "Unknown option '--loud'\nThe options are --start, --name-time, --zone, --interval, --silence-db, --weighting, --time-weighting, --channel, --reference-db, --calibration, --new-period, --rate, --format, --channels, --also, --spool, --spool-max, --add, --whole, --replace, --partial, --help",
  ],
  [[...FILE, '--add', '--add'], "Option '--add' may be given only once"],
  [[...FILE, '--strt', 'now'], "Unknown option '--strt'\n(Did you mean --start?)"],
  [
    ['a.wav', '--start'],
    "Option '--start <TIME>' argument missing\n--start <TIME>: the time of the first sample",
  ],
])('%j is refused: %s', (args, message) => {
  expect(() => parseRecordArgs(args)).toThrow(message);
});
