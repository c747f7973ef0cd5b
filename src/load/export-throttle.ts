// The throttle of exports: lets short questions be answered between their pieces.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from './event-loop-queue.ts';

/**
 * How long a pause is while questions are asked, in milliseconds a byte: limits exports to 4 MB a second for each
 * processor. The database runs ahead of its reader, so without pauses it has no processor free for questions. Assumes that the database machine has as many cores.
 */
const REST_MS = 1 / 4000 / availableParallelism();

/**
 * @returns a function that waits for the turn of a piece of so many bytes: one piece of all exports at a time, and
 *   after a rest while `isBusy`
 */
export function createThrottle(isBusy: () => boolean, restMs = REST_MS): (bytes: number) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  async function turn(bytes: number): Promise<void> {
    await nextTurn();
    if (isBusy()) await sleep(bytes * restMs);
  }
  return (bytes) => {
    last = last.then(() => turn(bytes));
    return last;
  };
}
