// The entry point: handles arguments and exit codes. Only this file reads process.env.
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { createProgram, invocation } from './cli/command-line.ts';
import { ConfigurationError, readConfig, retiredVariables } from './cli/config.ts';
import { end, endedBySignal } from './cli/environment.ts';
import { openLog, openSentences, wordedFor } from './cli/log.ts';
import { createStatusLine } from './cli/status-line.ts';
import { reasonOf } from './database/unreachable-reason.ts';
import { AppError } from './errors.ts';

process.stdout.on('error', end); // a reader such as `head` has read enough
process.stderr.on('error', () => {}); // a full disk or a closed pipe does not fail the command
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [name = 'serve', ...args] = process.argv.slice(2);
const { AUDIO_METRICS_COMMAND: command } = process.env;
const worded = wordedFor(command);
const terminal = createStatusLine(process.stderr);
const isService = ['serve', 'demo'].includes(name);
const program = createProgram(
  version,
  () => {
    const config = readConfig(process.env);
    const { LOG_LEVEL: level } = config;
    const log = isService ? openLog(level, worded) : openSentences(level, worded, terminal.say);
    for (const warning of retiredVariables(process.env)) log.warn(warning);
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    return { config, log, terminal, version, print, ended: endedBySignal };
  },
  worded,
);
try {
  await program.parseAsync([name, ...args], { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) fail(error); // otherwise commander has printed the help
}

function fail(error: unknown): void {
  const isUsage = error instanceof AppError && error.code === 'BAD_REQUEST';
  const isKnown = program.commands.some((command) => command.name() === name);
  const lines = isUsage && isKnown ? [`\`${invocation(name)} -- --help\` explains all options`] : [];
  terminal.say(worded([describe(error), ...lines].join('\n')));
  // 2 means wrong usage, as in shells
  process.exitCode = isUsage || error instanceof ConfigurationError ? 2 : 1;
}

/** @returns the message for the user, with the cause of a plain Error, or the reason why the database is away */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TypeError || error instanceof RangeError) return error.stack ?? error.message; // a bug
  const { cause, message, name } = error;
  if (!(cause instanceof Error)) return message;
  if (name === 'Error') return `${message}\n  because: ${cause.message}`;
  const isAway = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
  return isAway ? `${message}\n  because: ${reasonOf(cause)}` : message;
}
