// Logs errors that nothing handled; the process goes on.
import type { Logger } from 'pino';

/**
 * Such an error comes from a listener or a timer that nothing guards. The service keeps nothing between requests, so
 * going on costs one answer at most, and ending costs all that are under way. If the runtime itself has broken, nothing
 * it does can be trusted: then the process ends at once.
 */
export function logUnhandledErrors(log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (reason: unknown) => {
      const err = reason instanceof Error ? reason : new Error(String(reason));
      if (!isRuntimeBroken(err)) return log.error({ err }, 'An error that nothing handled');
      log.fatal({ err }, 'The runtime has failed, and the service ends');
      process.exit(1);
    });
}

/** Whether an assertion inside Node failed, or the WebAssembly of the embedded database aborted. */
function isRuntimeBroken(error: Error & { code?: unknown }): boolean {
  return error.code === 'ERR_INTERNAL_ASSERTION' || error.name === 'RuntimeError';
}
