// What a command works with.
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { StatusLine } from './status-line.ts';

export interface Environment {
  readonly config: Config;
  readonly log: Logger;
  /** For the person at the terminal; standard output is for the log and for results. */
  readonly terminal: StatusLine;
  readonly version: string;
  /** What aborts if a signal comes after this call, which does not end the process from then on. */
  ended(): AbortSignal;
}

const ending = new AbortController();
/** Ends the command, as a signal does. */
export const end = () => ending.abort();

export function endedBySignal(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end).once(signal, end);
  return ending.signal;
}
