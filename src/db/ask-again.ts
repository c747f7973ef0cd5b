// Asks a read again that may succeed the next time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Signal } from '../signal.ts';
import { isWorthAnother } from './faults.ts';

/** How long to wait before each further attempt, in milliseconds. A replica may break off several in a row. */
const WAITS_MS = [5, 50, 200];

/**
 * Runs `ask`, and again where that may help: three times at most, and not once it has taken longer than `shortMs`.
 *
 * @throws what the last attempt threw
 */
export async function askAgain<T>(ask: () => Promise<T>, shortMs: number, signal?: Signal): Promise<T> {
  const start = performance.now();
  for (const wait of WAITS_MS) {
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted || performance.now() - start > shortMs || !isWorthAnother(error)) throw error;
    }
    await sleep(wait);
  }
  return ask();
}
