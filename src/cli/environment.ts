// The parts of the process that commands get: configuration, log, terminal, signals, and unhandled errors.
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
  /**
   * Returns a signal that aborts on SIGINT or SIGTERM, and when the service that runs this process has ended. From this
   * call on, signals do not kill the process.
   */
  ended(): AbortSignal;
}

const ending = new AbortController();
/** Ends the command, as a signal does. */
export const end = () => ending.abort();

export function endedBySignal(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end).once(signal, end);
  process.off('disconnect', end).once('disconnect', end);
  process.channel?.unref();
  if (process.connected === false) end(); // undefined if no service runs it
  return ending.signal;
}

/**
 * Such an error comes from an unguarded listener or timer. The service keeps no state between requests, so continuing
 * costs at most one response, while exiting costs all in flight. It exits at once only if the runtime has failed.
 */
export function logUnhandledErrors(log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (reason: unknown) => {
      const err = reason instanceof Error ? reason : new Error(String(reason));
      if (!isRuntimeBroken(err)) return log.error({ err }, 'Unhandled error: please report it');
      log.fatal({ err }, 'The runtime has failed, so the service exits: restart it');
      process.exit(1);
    });
}

/** Whether an assertion inside Node failed, or the WebAssembly of the embedded database aborted. */
const isRuntimeBroken = (error: Error & { code?: unknown }): boolean =>
  error.code === 'ERR_INTERNAL_ASSERTION' || error.name === 'RuntimeError';
