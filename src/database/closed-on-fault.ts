// Closes what is open if work on it fails.
import type { Database } from './database.ts';

/** @throws what `work` throws, after closing everything */
export function closedOnFault<Result>(work: Promise<Result>, ...opened: Pick<Database, 'close'>[]) {
  return work.catch(async (error) => {
    for (const each of new Set(opened)) await each.close();
    throw error;
  });
}
