// Errors that nothing handled: logged, and the process goes on.
import type { Logger } from 'pino';

/**
 * Such an error comes from a listener or a timer that nobody guards. The service keeps nothing between requests,
 * so it costs one answer at most; to end would cost all that are under way. Only where the runtime itself has
 * broken is nothing it does to be trusted: then the process ends at once.
 */
export function survive(log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (reason: unknown) => {
      const err = reason instanceof Error ? reason : new Error(String(reason));
      if (!isRuntimeBroken(err)) return log.error({ err }, 'An error that nothing handled');
      log.fatal({ err }, 'The runtime has failed, and the service ends');
      process.exit(1);
    });
}

/** An assertion of Node's own that does not hold, or WebAssembly, in which the embedded database runs, aborted. */
function isRuntimeBroken(error: Error & { code?: unknown }): boolean {
  return error.code === 'ERR_INTERNAL_ASSERTION' || error.name === 'RuntimeError';
}
