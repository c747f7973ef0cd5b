// The options of the service for recording programs that it runs.
import type { Command } from 'commander';
import { declareOptions, givenOf, repeatable, type ValuesOf } from '../commands/command-options.ts';
import { DEFAULT_STATION, isAnyStation } from '../contract/station.ts';
import type { SoundFormat } from '../sound/sample-format.ts';
import { alsoOf } from './also.ts';
import { type RecordOptions, readRecord, SOUND } from './record-options.ts';
import type { StartOptions } from './sources/recording-start.ts';

const EXAMPLE = `
  --record 'arecord -f S16_LE -r 48000 -t raw' --rate 48000
      runs that program beside the service, measures the raw sound that it writes, and starts it again when it ends
  --record 'arecord -D hw:1 -f S16_LE -r 48000 -t raw' --record 'garden=arecord -D hw:2 -f S16_LE -r 48000 -t raw' --rate 48000
      two microphones: the second records for the station garden`;

const OPTIONS = {
  help: {
    '--record <[NAME=]COMMAND>':
      'run a program that writes raw sound of --rate and --format (default s16le). NAME= before it selects another station; at most one program per station',
    ...SOUND.help,
  },
  kinds: {
    record: repeatable({ allowed: 'a command, with NAME= before it for a station', parse: parseProgram }),
    ...SOUND.kinds,
  },
};
export type GivenSource = ValuesOf<typeof OPTIONS>;

export const declareSource = (command: Command) =>
  declareOptions(command, OPTIONS).addHelpText('after', EXAMPLE);

export interface ProgramOfStation {
  readonly station: string;
  readonly command: string;
}

/** A recording program, and how to measure its sound. */
export type SourceCommand = Omit<RecordOptions, 'source' | 'raw' | 'spool' | keyof StartOptions> &
  ProgramOfStation & { readonly raw: SoundFormat };

/** @returns the programs that the service must run. @throws a usage error of the command */
export function readSource({ record, spool: _, ...given }: GivenSource, command: Command): SourceCommand[] {
  if (record.length === 0) {
    // --spool is allowed without --record too
    const other = givenOf(command, SOUND.kinds).find((flags) => flags !== '--spool');
    if (other) command.error(`${other}: needs --record`);
    return [];
  }
  for (const [index, { station }] of record.entries())
    if (record.findIndex((each) => each.station === station) < index)
      command.error(
        `--record: given twice for the station ${station}; give it once per station, with NAME= for other stations`,
      );
  if (given.rate === undefined)
    command.error('--rate: required; give the samples per second that the command writes');
  const { raw, ...measured } = readRecord('-', { ...given, format: given.format ?? 's16le' }, '', command);
  const further = record.flatMap((program) => alsoOf(measured, program.station));
  const twice = further.find(({ station }) => record.some((each) => each.station === station));
  if (twice) command.error(`--also: the station ${twice.station} has a --record of its own`);
  return raw ? record.map((program) => ({ ...measured, ...program, raw })) : [];
}

/** A shell variable before a command must be in capitals, so that it is not taken for a station. */
export function parseProgram(text: string): ProgramOfStation | undefined {
  const [, name = '', rest = ''] = /^([^\s=]+)=(.*)$/s.exec(text) ?? [];
  const program = isAnyStation(name)
    ? { station: name, command: rest }
    : { station: DEFAULT_STATION, command: text };
  return program.command.trim() === '' ? undefined : program;
}
