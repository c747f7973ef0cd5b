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

export function endedBySignal(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  return ending.signal;
}
