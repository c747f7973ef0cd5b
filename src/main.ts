// The process edge: handles arguments and exit codes, and is the only file that reads process.env.
import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { commands } from './commands.ts';
import { readConfig } from './config.ts';
import { AppError } from './errors.ts';

const [name = 'serve', ...args] = process.argv.slice(2);
try {
  const command = Object.hasOwn(commands, name) && commands[name];
  if (!command)
    throw new AppError('BAD_REQUEST', `The commands are ${Object.keys(commands).join(', ')}, not ${name}`);
  const config = readConfig(process.env);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  await command({ config, log: pino({ level: config.LOG_LEVEL }), args, version });
} catch (error) {
  process.stderr.write(`${describe(error)}\n`);
  // 2 means wrong usage, as in shells
  process.exitCode = error instanceof AppError && error.code === 'BAD_REQUEST' ? 2 : 1;
}

/** The message for the user. A plain Error adds its cause, which says more. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TypeError || error instanceof RangeError) return error.stack ?? error.message; // a bug
  return error.name === 'Error' && error.cause instanceof Error
    ? `${error.message}\n  because: ${error.cause.message}`
    : error.message;
}
