// Warns where the memory of the process is limited to less than the embedded database needs.
import type { Logger } from 'pino';

/** The first start of the service takes 0.6 GB. */
const NEEDED_MB = 640;

/** The system ends a process that goes above its limit, and tells it nothing. @param limit in bytes, 0 is none */
export function warnOfMemoryLimit(log: Pick<Logger, 'warn'>, limit = process.constrainedMemory()): void {
  const limitMb = Math.floor(limit / 1024 ** 2);
  if (limit === 0 || limitMb >= NEEDED_MB) return;
  log.warn(
    { limitMb, neededMb: NEEDED_MB },
    `The memory is limited to ${limitMb} MB, and the embedded database needs ${NEEDED_MB} MB: the system may end the process without a word. Raise the limit, or use a server (DATABASE_URL)`,
  );
}
