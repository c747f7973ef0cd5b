// Carries out an order that waits in a spool, once, and answers it.
import type { Database } from '../../db/database.ts';
import { noteRecording } from '../periods/note-periods.ts';
import type { PointCount } from '../progress.ts';
import { findPoints, type Guard, PointsFound, replacePoints, storeNew } from '../store-interval.ts';
import type { Segment } from './segment.ts';
import type { Spool } from './spool.ts';

/**
 * The answer is there before the order goes: whoever gave it waits for that. Where the process is killed in between,
 * an order that was noted only goes, and has no answer.
 *
 * @param guard notes it, in the transaction that stores its points
 * @param report shows a line to the user
 * @returns whether it was noted
 */
export async function carryOut(
  segment: Segment,
  spool: Spool,
  db: Database,
  guard: Guard,
  report: (line: string) => void,
): Promise<boolean> {
  const order = await spool.orderOf(segment);
  const read: PointCount = { count: 0 };
  const csv = spool.rows(segment, read);
  let isNoted = false;
  async function work(): Promise<PointCount | undefined> {
    if (order.mode === 'count') return findPoints(db, order);
    if (order.mode === 'replace') {
      const found = await replacePoints(db, csv, order, guard);
      isNoted = found !== undefined;
      return found;
    }
    const as = order.mode === 'new' ? order.as : undefined;
    try {
      isNoted = await storeNew(db, csv, read, guard, (run) => noteRecording(run, as, read, report));
      return isNoted ? { count: 0 } : undefined;
    } catch (error) {
      if (error instanceof PointsFound) return error.found;
      throw error;
    }
  }
  const found = await work();
  if (found) {
    await spool.answer(segment, found);
    await spool.remove([segment]);
  }
  return isNoted;
}
