// The pace of long work: piece by piece, so that short questions are answered in between.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** For how long a piece waits at most while short questions are answered, in milliseconds. */
const LONGEST_MS = 10;

/** @returns a function that waits for the turn of a piece: one in each turn of the event loop, first come first */
export function createPace(isBusy: () => boolean): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  async function calm(): Promise<void> {
    await nextTurn();
    for (let ms = 0; ms < LONGEST_MS && isBusy(); ms++) await sleep(1);
  }
  return () => {
    last = last.then(calm);
    return last;
  };
}
