// Judges a level against a limit by its coverage, its uncertainty, and the lowest value that the true level can have.
import type { Judgement } from '../../../contract/limits.ts';
import type { LimitPart } from './contract.ts';

/** The tolerance of comparisons in dB: a smaller difference may be rounding. */
export const ROUNDING_DB = 1e-5;

export interface Judged {
  /** On the scale of the limit, dB; null if nothing was measured. */
  readonly assessed_db: number | null;
  /** The lowest value that the true level can have; null if no level is above the floor. */
  readonly assessed_low_db: number | null;
  readonly limit_db: number;
  /** Null if the part lies ahead. */
  readonly measured_percent: number | null;
}

/** @returns null if the part lies ahead */
export function limitState(
  { assessed_db, assessed_low_db, limit_db, measured_percent }: Judged,
  { uncertaintyDb, minMeasuredPercent }: Pick<Judgement, 'uncertaintyDb' | 'minMeasuredPercent'>,
): LimitPart['state'] {
  if (measured_percent === null) return null;
  if (assessed_db === null || measured_percent < minMeasuredPercent) return 'undecided';
  const excess = assessed_db - limit_db;
  // without an uncertainty a level is reported to 0.1 dB, and compared as reported
  const isOver = (level: number) =>
    uncertaintyDb > 0
      ? level - limit_db > uncertaintyDb + ROUNDING_DB
      : Math.round(10 * (level - limit_db)) > 0;
  const isUnder = uncertaintyDb > 0 ? excess < -uncertaintyDb - ROUNDING_DB : !isOver(assessed_db);
  if (isUnder) return 'under';
  return isOver(assessed_db) && assessed_low_db !== null && isOver(assessed_low_db) ? 'over' : 'undecided';
}

/** @param states of the parts in which a limit applies. @returns the worst state; null if none is known */
export function worstState(states: readonly LimitPart['state'][]): LimitPart['state'] {
  const order = ['over', 'undecided', 'under'] as const;
  return order.find((state) => states.includes(state)) ?? null;
}
