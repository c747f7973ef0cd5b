// Runs the service and other commands in this process, each with its own environment and its own end.
import { PassThrough, type Readable } from 'node:stream';
import { Command } from 'commander';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { backupCommand } from '../src/backup/backup-command.ts';
import { restoreCommand } from '../src/backup/restore-command.ts';
import { backupIo, restoreIo } from '../src/cli/backups.ts';
import { ofStation, strictly } from '../src/cli/command-line.ts';
import { recorderIo } from '../src/cli/commands.ts';
import { readConfig } from '../src/cli/config.ts';
import type { Environment } from '../src/cli/environment.ts';
import { excludeCommand } from '../src/cli/exclude-command.ts';
import { openRecording } from '../src/cli/recording.ts';
import { startService } from '../src/cli/serve.ts';
import { stationCommand } from '../src/cli/station-command.ts';
import { importCommand } from '../src/import/import-command.ts';
import { LatestOutput } from '../src/operations/audio/latest/contract.ts';
import { InfoOutput } from '../src/operations/service/contract.ts';
import { SummaryOutput } from '../src/operations/stats/summary/contract.ts';
import { deleteCommand } from '../src/recorder/delete.ts';
import { recordCommand } from '../src/recorder/record.ts';
import type { RecorderIo } from '../src/recorder/recorder-io.ts';
import {
  declareSource,
  type GivenSource,
  readSource,
  type SourceCommand,
} from '../src/recorder/source-options.ts';
import { environmentOf } from './environment.ts';
import { ON_A_BUSY_MACHINE } from './service.ts';

const storing =
  (declare: (open: () => RecorderIo) => Command) => (environment: Environment, stdin: Readable) =>
    ofStation(declare, (station) => ({ ...recorderIo(environment, station), stdin }));
const COMMANDS = {
  record: storing(recordCommand),
  import: storing(importCommand),
  delete: storing(deleteCommand),
  exclude: (environment: Environment) => ofStation(excludeCommand, (station) => ({ environment, station })),
  backup: (environment: Environment) => ofStation(backupCommand, (name) => backupIo(environment, name)),
  restore: (environment: Environment) => ofStation(restoreCommand, (name) => restoreIo(environment, name)),
};

export interface Called {
  /** Everything that it has printed so far. */
  output(): string;
  /** Writes to its standard input, and leaves it open. */
  feed(input: Uint8Array): void;
  /** Writes to its standard input, and ends it. */
  write(input: string | Uint8Array): void;
  /** Ends it as a signal does. */
  stop(): Promise<unknown>;
  /** The error that it ended with, or undefined. */
  ended: Promise<unknown>;
}

/** Calls `station`. @returns its output; rethrows its error */
export async function callStation(
  args: readonly string[],
  variables: Record<string, string>,
): Promise<string> {
  const { environment, output } = environmentOf(variables);
  const command = stationCommand(() => environment);
  await strictly(command).parseAsync(args, { from: 'user' });
  return output();
}

type Args = readonly [keyof typeof COMMANDS, ...string[]];

/** Calls a command that works on a station. */
export function call([name, ...args]: Args, variables: Record<string, string>): Called {
  const { environment, output, print, end } = environmentOf(variables);
  const stdin = new PassThrough();
  stdin.on('error', () => {}); // the command may end before it reads its input
  const ended = strictly(COMMANDS[name](environment, stdin))
    .parseAsync(args, { from: 'user' })
    .then(
      () => undefined,
      (error) => {
        print(error.message);
        return error;
      },
    );
  const stop = () => {
    end();
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return {
    output,
    feed: (input) => void stdin.write(input),
    write: (input) => void stdin.end(input),
    stop,
    ended,
  };
}

/** Calls a command that must succeed. @returns its output */
export async function called(args: Args, variables: Record<string, string>): Promise<string> {
  const { ended, output } = call(args, variables);
  expect(await ended).toBeUndefined();
  return output();
}

/** The options that `serve` reads from its arguments. */
export async function sourceOf(args: readonly string[]) {
  let read: { commands: SourceCommand[]; spool: string | undefined } | undefined;
  const command = declareSource(new Command('serve')).action((given: GivenSource) => {
    read = { commands: readSource(given, command), spool: given.spool };
  });
  await strictly(command).parseAsync(args, { from: 'user' });
  return { commands: read?.commands ?? [], spool: read?.spool };
}

/** Starts the service. The test's end stops it. */
export async function serve(variables: Record<string, string>, ...args: string[]) {
  let output = '';
  const config = readConfig({ PORT: '0', ...variables });
  const log = pino({ level: 'info' }, { write: (line) => (output += line) });
  const { commands, spool } = await sourceOf(args);
  const { db, sources, stop: endRecording } = await openRecording(config, log, commands, spool, 0);
  const { address, close } = await startService(config, db, log, 'test', sources, ON_A_BUSY_MACHINE);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= endRecording().then(close));
  onTestFinished(stop);
  /** GET below /api/v1 of a station. */
  const get = async (path: string, station = 'default') =>
    (await fetch(`${address}/stations/${station}/api/v1/${path}`)).json();
  return {
    address,
    db,
    output: () => output,
    stop,
    info: async (station?: string) => InfoOutput.parse(await get('service/info', station)),
    summary: async (query: string, station?: string) =>
      SummaryOutput.parse(await get(`stats/summary?${query}`, station)),
    /** The newest 10,000 points, newest first. */
    latest: async (station?: string) =>
      LatestOutput.parse(await get('audio/latest?limit=10000', station)).points,
  };
}
