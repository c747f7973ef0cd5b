// The parts of the process that commands get: configuration, log, terminal and signals.
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { StatusLine } from './status-line.ts';

export interface Environment {
  readonly config: Config;
  readonly log: Logger;
  /** Writes to the person at the terminal. Standard output is for the log and for results. */
  readonly terminal: StatusLine;
  readonly version: string;
  /** Writes a line of the result to standard output. */
  print(line: string): void;
  /** Returns a signal that aborts on SIGINT or SIGTERM. From this call on, they do not kill the process. */
  ended(): AbortSignal;
}

const ending = new AbortController();
/** Ends the command, as a signal does. */
export const end = () => ending.abort();

export function endedBySignal(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end).once(signal, end);
  return ending.signal;
}
