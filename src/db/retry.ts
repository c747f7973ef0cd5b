// Retries reads that fail for a reason that may pass.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Signal } from '../signal.ts';
import { isPassing } from './faults.ts';

/** How long to wait before each further attempt. A replica may break off several in a row. */
const WAITS_MS = [5, 50, 200];

/**
 * Runs `read`, and again after a passing fault: three times more at most, none later than `withinMs` after the first.
 *
 * @throws what the last attempt threw
 */
export async function retry<Rows>(
  read: () => Promise<Rows>,
  withinMs: number,
  signal?: Signal,
): Promise<Rows> {
  const start = performance.now();
  for (const wait of WAITS_MS) {
    try {
      return await read();
    } catch (error) {
      if (signal?.aborted || performance.now() - start > withinMs || !isPassing(error)) throw error;
    }
    await sleep(wait);
  }
  return read();
}
