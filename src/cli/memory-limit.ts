// Warns where the memory of the process is limited to less than the embedded database needs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** The first start, which makes the database, takes 0.6 GB, later ones 0.4 GB. */
const NEEDED_MB = { first: 640, later: 450 };

/**
 * The system ends a process that goes above its limit, and tells it nothing.
 *
 * @param limit in bytes, 0 is none
 */
export function warnOfMemoryLimit(
  log: Pick<Logger, 'warn'>,
  dataDir: string,
  limit = process.constrainedMemory(),
): void {
  const neededMb = existsSync(join(dataDir, 'pg', 'PG_VERSION')) ? NEEDED_MB.later : NEEDED_MB.first;
  const limitMb = Math.floor(limit / 1024 ** 2);
  if (limit === 0 || limitMb >= neededMb) return;
  log.warn(
    { limitMb, neededMb },
    `The memory is limited to ${limitMb} MB, and the embedded database needs ${neededMb} MB: the system may end the process without a word. Raise the limit, or use a server (DATABASE_URL)`,
  );
}
