// The pace of long work: piece by piece, so that short questions are answered in between.
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a rest is while questions are asked, in milliseconds for each byte that follows: 4 MB a second for
 * each processor. Most of the work on them is the database's, which runs ahead of its reader; without rests
 * its machine would have no processor free for a question. That it has as many as this one is a guess.
 */
const REST_MS = 1 / 4000 / availableParallelism();

/**
 * @returns a function that waits for the turn of a piece with so many bytes: one in each turn of the event loop,
 *   in the order in which they came, and after a rest while `isBusy`
 */
export function createPace(isBusy: () => boolean, restMs = REST_MS): (bytes: number) => Promise<void> {
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
