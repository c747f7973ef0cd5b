// How long a readiness check waits for the database.
import { AppError } from '../errors.ts';

/** The limit in milliseconds. A probe waits for a second, so the answer still arrives. */
export const READY_MS = 900;

/** @throws AppError SERVICE_UNAVAILABLE if `work` takes longer, or blocks the process for longer */
export async function withinDeadline(work: Promise<unknown>): Promise<void> {
  const late = () => new AppError('SERVICE_UNAVAILABLE', 'The database did not answer in time');
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), READY_MS);
  });
  await Promise.race([work, deadline]).finally(() => clearTimeout(timer));
  if (performance.now() - start > READY_MS) throw late(); // work that blocks the process delays the timer too
}
