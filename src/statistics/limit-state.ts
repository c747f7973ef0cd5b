// Judges a level against a limit, by how much was measured and by how low the level can truly be.
import { LEAST_MEASURED, type LimitPart } from '../contract/against-limits.ts';

/** A level is above a limit by more than this, in dB: what is less may be rounding. */
export const ROUNDING_DB = 1e-5;

type Judged = Pick<LimitPart, 'leq_db' | 'leq_low_db' | 'limit_db' | 'measured_percent'>;

/** @param offset_db what makes a stored level one on the scale of the limit; null if that is not known */
export function limitState(
  { leq_db, leq_low_db, limit_db, measured_percent }: Judged,
  offset_db: number | null,
): LimitPart['state'] {
  if (offset_db === null || measured_percent === null) return null;
  if (leq_db === null || measured_percent < LEAST_MEASURED) return 'undecided';
  const isOver = (level: number) => level + offset_db - limit_db > ROUNDING_DB;
  if (!isOver(leq_db)) return 'under';
  return leq_low_db !== null && isOver(leq_low_db) ? 'over' : 'undecided';
}
