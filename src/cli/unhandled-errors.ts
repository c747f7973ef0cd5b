// Logs unhandled errors and keeps the process running.
import type { Logger } from 'pino';

/**
 * Such an error comes from an unguarded listener or timer. The service keeps no state between requests, so continuing
 * costs at most one response, and exiting costs all that are in flight. Only if the runtime itself has failed does the
 * process exit at once.
 */
export function logUnhandledErrors(log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (reason: unknown) => {
      const err = reason instanceof Error ? reason : new Error(String(reason));
      if (!isRuntimeBroken(err)) return log.error({ err }, 'Unhandled error: please report it');
      log.fatal({ err }, 'The runtime has failed: the service exits, restart it');
      process.exit(1);
    });
}

/** Whether an assertion inside Node failed, or the WebAssembly of the embedded database aborted. */
function isRuntimeBroken(error: Error & { code?: unknown }): boolean {
  return error.code === 'ERR_INTERNAL_ASSERTION' || error.name === 'RuntimeError';
}
