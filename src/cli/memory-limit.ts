// Warns if the memory limit of the process is lower than the embedded database needs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** The first start, which creates the database, takes 0.6 GB. Later starts take 0.4 GB. */
const NEEDED_MB = { first: 640, later: 450 };

/**
 * The system kills a process above its limit without a message.
 *
 * @param limit in bytes; 0 means none
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
    `The memory limit of ${limitMb} MB is below the ${neededMb} MB that the embedded database needs, so the system may kill the process. Raise the limit, or use a server (DATABASE_URL)`,
  );
}
