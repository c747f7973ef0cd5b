// Event-loop queue: long work runs in chunks, one per iteration of the event loop. So a short query waits for at most
// one chunk.
import { setImmediate as iteration } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Waits until the next chunk may run. Each iteration starts one chunk, no matter how much long work there is. */
export function nextIteration(): Promise<void> {
  last = last.then(() => iteration());
  return last;
}
