// The throttle of exports: lets short questions be answered between their pieces.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from './event-loop-queue.ts';

/**
 * How long a pause is, in milliseconds a byte: 4 MB a second for each processor. The database runs ahead of its
 * reader, so without pauses it has no processor free for questions.
 */
const REST_MS = 1 / 4000 / availableParallelism();

/** Exports are slowed for this long after an answer: the next question is likely to come. */
const BUSY_MS = 200;

/** What others ask of the same database: whether a question runs, and when the last one ended (`performance.now`). */
export interface Questions {
  areAsked(): boolean;
  lastAnswer(): number;
}

/**
 * @returns what waits for the turn of a piece of so many bytes: one piece of all exports at a time, and after a rest
 *   while questions are asked. An answer from before the export `began` does not count: the last was its own
 */
export function createThrottle({ areAsked, lastAnswer }: Questions, restMs = REST_MS) {
  let last: Promise<void> = Promise.resolve();
  return (bytes: number, began: number): Promise<void> => {
    last = last.then(nextTurn).then(async () => {
      const isBusy = areAsked() || lastAnswer() > Math.max(began, performance.now() - BUSY_MS);
      if (isBusy) await sleep(bytes * restMs);
    });
    return last;
  };
}
