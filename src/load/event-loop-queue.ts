// Turns of the event loop: long work runs in chunks, so a short query waits for at most one chunk.
import { setImmediate as turn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Waits for the turn of the next chunk. Each turn starts one chunk, however much long work there is. */
export function nextTurn(): Promise<void> {
  last = last.then(() => turn());
  return last;
}
