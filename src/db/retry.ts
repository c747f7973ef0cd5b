// Retries what fails for a reason that may pass: reads, and refreshes of rollups, which may be run twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { isInternal, isPassing } from './faults.ts';

/** How long to wait before each further attempt. A replica may break off several in a row. */
const WAITS_MS = [5, 50, 200];

/**
 * Runs `read`, and again after a passing fault: three times more at most, none later than `withinMs` after the first.
 * After an internal error of the server once more.
 *
 * @throws what the last attempt threw
 */
export async function retry<Rows>(
  read: () => Promise<Rows>,
  withinMs: number,
  signal?: AbortSignal,
): Promise<Rows> {
  const start = performance.now();
  for (const [attempt, wait] of WAITS_MS.entries()) {
    try {
      return await read();
    } catch (error) {
      const mayPass = isPassing(error) || (attempt === 0 && isInternal(error));
      if (signal?.aborted || performance.now() - start > withinMs || !mayPass) throw error;
    }
    await sleep(wait);
  }
  return read();
}
