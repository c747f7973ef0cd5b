// Retries reads and refreshes of rollups, which are safe to repeat, after temporary faults.
import { setTimeout as sleep } from 'node:timers/promises';
import { isInternal, isPassing } from './faults.ts';

/** The wait before each further attempt. A replica may cancel several attempts in a row. */
const WAITS_MS = [5, 50, 200];

/**
 * Retries `read` after a temporary fault: at most three times, and never later than `withinMs` after the first attempt.
 * Retries once after an internal error of the server.
 *
 * @throws the fault of the last attempt
 */
export async function retry<Rows>(read: () => Promise<Rows>, withinMs: number, signal?: AbortSignal) {
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
