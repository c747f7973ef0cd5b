// The options of the service for recording programs that it runs.
import type { Command } from 'commander';
import { DEFAULT_STATION, isAnyStation } from '../contract/station.ts';
import { AppError } from '../errors.ts';
import { alsoStation } from './also.ts';
import { createOptionReader, flagOf, type Given, repeated } from './option-reader.ts';
import {
  declareSoundOptions,
  type GivenSound,
  type RawFormat,
  type RecordOptions,
  readOptions,
} from './record-options.ts';
import type { StartOptions } from './start-options.ts';

const EXAMPLE = `
  --record 'arecord -f S16_LE -r 48000 -t raw' --rate 48000
      runs that program beside the service, measures the raw sound that it writes, and starts it again when it ends
  --record 'arecord -D hw:1 -f S16_LE -r 48000 -t raw' --record 'garden=arecord -D hw:2 -f S16_LE -r 48000 -t raw' --rate 48000
      two microphones: the second records for the station garden`;

export function declareSource(command: Command): Command {
  const what =
    'run a program that writes raw sound of --rate and --format (default s16le). NAME= before it selects another station; at most one program per station';
  return declareSoundOptions(command.addOption(repeated('--record <[NAME=]COMMAND>', what))).addHelpText(
    'after',
    EXAMPLE,
  );
}

/** A recording program, and how to measure its sound. */
export type SourceCommand = Omit<RecordOptions, 'source' | 'raw' | 'spool' | keyof StartOptions> & {
  readonly station: string;
  /** A shell command that writes raw sound to standard output. */
  readonly command: string;
  readonly raw: RawFormat;
};

/** @returns the folder of --spool, which is allowed without --record too */
export function readSpool({ spool }: GivenSound): string | undefined {
  const { read, end } = createOptionReader<'spool'>(spool ? { spool } : {});
  const folder = read('spool', (text) => text || undefined, 'a folder');
  end();
  return folder;
}

/**
 * @returns the programs that the service must run
 * @throws AppError BAD_REQUEST with one line per wrong argument
 */
export function readSource({
  record,
  spool: _spool,
  ...given
}: GivenSound & Given<'record'>): SourceCommand[] {
  if (!record) {
    const lines = Object.keys(given).map((name) => `${flagOf(name)}: needs --record`);
    if (lines.length > 0) throw new AppError('BAD_REQUEST', lines.join('\n'));
    return [];
  }
  const programs = record.map(readProgram);
  for (const [index, { station, command }] of programs.entries()) {
    if (command.trim() === '') throw new AppError('BAD_REQUEST', '--record: empty; it must be a command');
    if (programs.findIndex((each) => each.station === station) < index)
      throw new AppError(
        'BAD_REQUEST',
        `--record: given twice for the station ${station}; give it once per station, with NAME= for other stations`,
      );
  }
  if (!given.rate)
    throw new AppError(
      'BAD_REQUEST',
      '--rate: required; give the samples per second that the command writes',
    );
  const { raw, ...measured } = readOptions('-', { ...given, format: given.format ?? ['s16le'] }, '');
  for (const { station } of measured.also ? programs : []) {
    const second = measured.also && alsoStation(measured.also, station);
    if (programs.some((each) => each.station === second))
      throw new AppError('BAD_REQUEST', `--also: the station ${second} has a --record of its own`);
  }
  return raw ? programs.map((program) => ({ ...measured, ...program, raw })) : [];
}

/** A shell variable before a command must be in capitals, so that it is not taken for a station. */
function readProgram(text: string): { station: string; command: string } {
  const [, station = '', command = ''] = /^([^\s=]+)=(.*)$/s.exec(text) ?? [];
  return isAnyStation(station) ? { station, command } : { station: DEFAULT_STATION, command: text };
}
