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
    start: '2026-11-20T11:00:00.000000Z',
    intervalMs: 100,
    silenceDb: -45,
    weighting: 'Z',
    timeWeighting: undefined,
    also: [],
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
    also: [],
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

it.each<[option: string, values: string[], allowed: string]>([
  ['--start', ['yesterday'], 'RFC 3339'],
  ['--name-time', ['HHmmss'], 'YYYY'],
  ['--interval', ['9ms', '61s', '10.5ms', '100'], '10ms to 60s'],
  ['--silence-db', ['-51', '1e1'], '-50 to 0'],
  ['--weighting', ['a'], 'A, C, Z'],
  ['--time-weighting', ['impulse'], 'fast, slow'],
  ['--channel', ['0'], '1 to 64, mean or max'],
  ['--reference-db', ['39.9', '160.1', '-85', '8.5e1', 'loud', ''], '40 to 160'],
  ['--calibration', ['39', '200.5', '+120'], '40 to 200'],
  ['--spool-max', ['8w', '367d'], '1m to 366d'],
  ['--rate', ['0'], '1 to 1000000'],
  ['--format', ['mp3'], 'u8, s8, s16le'],
])('%s refuses each of %j, and names what is allowed', (option, values, allowed) => {
  for (const value of values) {
    const parse = () => parseRecordArgs(['-', option, value]);
    for (const fact of [`'${option} `, `'${value}'`, allowed]) expect(parse).toThrow(fact);
  }
});

it.each<[args: string, ...facts: string[]]>([
  ['', 'FILE', 'a recording, a folder of recordings, or - for standard input'],
  ['a.wav b.wav --start now', '1 argument', 'a.wav, b.wav'],
  ['a.wav --start now --whole --partial', '--whole', '--partial'],
  ['a.wav --start now --zone UTC', '--zone', '--start'],
  ['- --name-time YYYYMMDD', '--name-time', 'standard input'],
  ['a.wav --start now --start now', '--start', 'once'],
  ['- --rate 5 --format s16le', '--rate', '100 ms', '5 samples per second'],
  ['- --rate 50 --format s16le --interval 10ms', '--interval', '10 ms'],
  ['- --rate 8000 --format s16le --channels 2 --channel 3', '--channel', '1 to 2, mean or max'],
  ['- --rate 8000 --format s16le --channel 2', '--channel', '1, mean or max'],
  ['a.wav --start now --calibration 120', '--calibration', 'needs --reference-db'],
  ['- --spool-max 1d --start now', '--spool-max', '--start'],
  ['a.wav --start now --spool there', '--spool', 'stored at once'],
  ['a.wav --start now --rate 8000', '--rate', 'its header has the format'],
  ['- --rate 8000', '--format', 'needs both --rate and --format'],
  ['- --format s16le', '--rate: required'],
  ['- --rate 8000 --format s16le --whole', '--whole', '--rate', 'raw sound'],
  ['- --channels 2', '--channels', 'needs --rate and --format'],
  ['a.wav --start now --replace --add', '--replace', '--add'],
  ['- --replace', '--replace', 'standard input'],
  ['- --add --start now', '--add', 'not needed with --start'],
  ['a.wav --loud', '--loud', '--start, --name-time, --zone, --interval, --silence-db', '--partial, --help'],
  ['a.wav --strt now', '--strt', 'Did you mean --start?'],
  ['a.wav --start', '--start', 'the time of the first sample'],
])('refuses %j, and names the option and the remedy: %s', (args, ...facts) => {
  const parse = () => parseRecordArgs(args === '' ? [] : args.split(' '));
  for (const fact of facts) expect(parse).toThrow(fact);
});
