// Runs the service and other commands in this process, each with its own environment and its own end.
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { backupCommand } from '../src/backup/backup-command.ts';
import { restoreCommand } from '../src/backup/restore-command.ts';
import { backupIo, restoreIo } from '../src/cli/backups.ts';
import { ofStation, strictly } from '../src/cli/command-line.ts';
import { excludeIo, recorderIo } from '../src/cli/commands.ts';
import { readConfig } from '../src/cli/config.ts';
import type { Environment } from '../src/cli/environment.ts';
import { excludeCommand } from '../src/cli/exclude-command.ts';
import { openSentences } from '../src/cli/log.ts';
import { openRecording } from '../src/cli/recording.ts';
import { startService } from '../src/cli/serve.ts';
import { stationCommand } from '../src/cli/station-command.ts';
import { createStatusLine } from '../src/cli/status-line.ts';
import { deleteCommand } from '../src/recorder/delete.ts';
import { importCommand } from '../src/recorder/import/import-command.ts';
import { recordCommand } from '../src/recorder/record.ts';
import type { RecorderIo } from '../src/recorder/recorder-io.ts';
import {
  declareSource,
  type GivenSource,
  readSource,
  type SourceCommand,
} from '../src/recorder/source-options.ts';
import { ON_A_BUSY_MACHINE } from './service.ts';

const storing =
  (declare: (open: () => RecorderIo) => Command) =>
  (environment: Environment, input: Pick<RecorderIo, 'stdin' | 'print'>) =>
    ofStation(declare, (station) => ({ ...recorderIo(environment, station), ...input }));
const COMMANDS = {
  record: storing(recordCommand),
  import: storing(importCommand),
  delete: storing(deleteCommand),
  exclude: (environment: Environment, { print }: Pick<RecorderIo, 'print'>) =>
    ofStation(excludeCommand, (name) => ({ ...excludeIo(environment, name), print })),
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
  let output = '';
  const terminal = createStatusLine({ write: (text) => (output += text) });
  const log = openSentences('warn', (text) => text, terminal.say);
  const ended = () => new AbortController().signal;
  const environment = { config: readConfig(variables), log, terminal, version: 'test', ended };
  await strictly(stationCommand(() => environment, terminal.say)).parseAsync(args, { from: 'user' });
  return output;
}

/** Calls a command that works on a station. */
export function call(
  [name, ...args]: readonly [keyof typeof COMMANDS, ...string[]],
  variables: Record<string, string>,
): Called {
  let output = '';
  const ending = new AbortController();
  const stdin = new PassThrough();
  stdin.on('error', () => {}); // the command may end before it reads its input
  const terminal = createStatusLine({ write: (text) => (output += text) });
  const log = openSentences('warn', (text) => text, terminal.say);
  const config = readConfig(variables);
  const ended = () => ending.signal;
  const print = (line: string) => (output += `${line}\n`);
  const environment = { config, log, terminal, version: 'test', ended };
  const outcome = strictly(COMMANDS[name](environment, { stdin, print }))
    .parseAsync(args, { from: 'user' })
    .then(
      () => undefined,
      (error) => {
        output += error.message;
        return error;
      },
    );
  const stop = () => {
    ending.abort();
    return outcome;
  };
  onTestFinished(async () => void (await stop()));
  return {
    output: () => output,
    feed: (input) => void stdin.write(input),
    write: (input) => void stdin.end(input),
    stop,
    ended: outcome,
  };
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
  return { address, db, output: () => output, stop };
}
