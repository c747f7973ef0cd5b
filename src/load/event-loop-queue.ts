// Event-loop queue: long work runs in chunks, one per iteration of the event loop, so a short query waits for at most
// one chunk.
import { setImmediate as iteration } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Waits until the next chunk may run: each iteration starts one chunk, however much long work there is. */
export function nextIteration(): Promise<void> {
  last = last.then(() => iteration());
  return last;
}
