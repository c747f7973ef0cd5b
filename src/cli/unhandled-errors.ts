// Logs unhandled errors and keeps the process running.
import type { Logger } from 'pino';

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
function isRuntimeBroken(error: Error & { code?: unknown }): boolean {
  return error.code === 'ERR_INTERNAL_ASSERTION' || error.name === 'RuntimeError';
}
