// How long a readiness check waits for the database.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../errors.ts';

/** The limit in milliseconds. A probe waits for a second, so the answer still arrives. */
export const READY_MS = 900;

/** @throws AppError SERVICE_UNAVAILABLE if `work` takes longer, or blocks the process for longer */
export async function withinDeadline(work: Promise<unknown>): Promise<void> {
  const late = () => new AppError('SERVICE_UNAVAILABLE', 'The database did not answer in time');
  const start = performance.now();
  const deadline = sleep(READY_MS, undefined, { ref: false }).then(() => Promise.reject(late()));
  await Promise.race([work, deadline]);
  if (performance.now() - start > READY_MS) throw late(); // work that blocks the process delays the timer too
}
