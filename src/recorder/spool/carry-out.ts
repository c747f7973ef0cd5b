// Carries out an order that waits in a spool, once, and answers it.
import type { Database, Guard } from '../../db/database.ts';
import { findPoints, PointsFound, storeInterval } from '../store-interval.ts';
import type { Segment } from './segment.ts';
import type { Spool } from './spool.ts';

/**
 * The answer is there before the order goes: whoever gave it waits for that. Where the process is killed in between,
 * an order that was noted only goes, and has no answer.
 *
 * @param guard notes it, in the transaction that stores its points
 * @returns whether it was noted
 */
export async function carryOut(segment: Segment, spool: Spool, db: Database, guard: Guard): Promise<boolean> {
  const { mode, first, last } = await spool.orderOf(segment);
  const [found, isNoted] = await work();
  if (found) {
    spool.answer(segment, found);
    await spool.remove([segment]);
  }
  return isNoted;

  async function work() {
    if (mode === 'count') return [await findPoints(db, { first, last }), false] as const;
    try {
      const there = await storeInterval(db, spool.rows(segment), { mode, first, last }, guard);
      return [there, there !== undefined] as const;
    } catch (error) {
      if (error instanceof PointsFound) return [error.found, false] as const;
      throw error;
    }
  }
}
