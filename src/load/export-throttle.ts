// The throttle of exports: lets short questions be answered between their pieces.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from './event-loop-queue.ts';

/**
 * How long a pause is while questions are asked, in milliseconds a byte: limits exports to 4 MB a second for each
 * processor. The database runs ahead of its reader, so without pauses it has no processor free for questions. Assumes that the database machine has as many cores.
 */
const REST_MS = 1 / 4000 / availableParallelism();

/** Exports are slowed for this long after an answer: the next question is likely to come. */
const BUSY_MS = 200;

/** What others ask of the same database. */
export interface Questions {
  /** Whether one runs. */
  areAsked(): boolean;
  /** When the last one was answered, by `performance.now()`. */
  lastAnswer(): number;
}

/**
 * @returns a function that waits for the turn of a piece of so many bytes: one piece of all exports at a time, and
 *   after a rest while questions are asked. Those that were answered before the export `began` do not count: the last
 *   of them was its own
 */
export function createThrottle(
  { areAsked, lastAnswer }: Questions,
  restMs = REST_MS,
): (bytes: number, began: number) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  async function turn(bytes: number, began: number): Promise<void> {
    await nextTurn();
    const isBusy = areAsked() || lastAnswer() > Math.max(began, performance.now() - BUSY_MS);
    if (isBusy) await sleep(bytes * restMs);
  }
  return (bytes, began) => {
    last = last.then(() => turn(bytes, began));
    return last;
  };
}
