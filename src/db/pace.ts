// The pace of long work: piece by piece, so that short questions are answered in between.
import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * How long the machine rests before a piece while questions are asked, in milliseconds. What a piece costs is
 * mostly the server's work, which runs ahead: without rests the processors are never free for a question.
 */
export const REST_MS = 10 / availableParallelism();

/** @returns a function that waits for the turn of a piece: one in each turn of the event loop, first come first */
export function createPace(isBusy: () => boolean): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  async function turn(): Promise<void> {
    await nextTurn();
    if (isBusy()) await sleep(REST_MS);
  }
  return () => {
    last = last.then(turn);
    return last;
  };
}
