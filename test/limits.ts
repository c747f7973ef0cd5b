import type { Limit } from '../src/contract/limits.ts';

/** A limit in dB(A). */
export const limitOf = (start: string, end: string, limit_db: number, penalty_db = 0): Limit => ({
  start,
  end,
  limit_db,
  weighting: 'A',
  penalty_db,
  assess: null,
  max_limit_db: null,
});
