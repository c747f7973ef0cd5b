// Throttles exports: pauses between their chunks, so that short queries can run.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextIteration } from '../event-loop-queue.ts';

/** A pause in ms per byte: 4 MB per second and processor. Without pauses, queries would find no free processor. */
const REST_MS = 1 / 4000 / availableParallelism();

/** Exports are slowed for this long after an answer, because the next query often follows soon. */
const BUSY_MS = 200;

/** Other queries of the same database: whether one is running, and when the last ended (`performance.now`). */
export interface QueryLoad {
  isBusy(): boolean;
  lastAnswer(): number;
}

/**
 * @returns a function that waits until a chunk may run. Exports run one chunk at a time, after a pause if queries run.
 *   `began` is the start of the export. Answers before that time do not count
 */
export function createThrottle({ isBusy, lastAnswer }: QueryLoad, restMs = REST_MS) {
  let last: Promise<void> = Promise.resolve();
  return (bytes: number, began: number): Promise<void> => {
    last = last.then(nextIteration).then(async () => {
      const mustPause = isBusy() || lastAnswer() > Math.max(began, performance.now() - BUSY_MS);
      if (mustPause) await sleep(bytes * restMs);
    });
    return last;
  };
}
