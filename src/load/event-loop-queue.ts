// Turns of the event loop: long work is done piece by piece, and a short question waits for one piece at most.
import { setImmediate as turn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Waits for the turn of the next piece. One piece of all long work begins in each turn, however much work there is. */
export function nextTurn(): Promise<void> {
  last = last.then(() => turn());
  return last;
}
