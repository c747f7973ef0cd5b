// The one rule for verdicts: how a part of a limit compares with it, and the reason if that is not certain.
import type { Reason, State } from '../../../contract/verdicts.ts';

/** The tolerance of comparisons in dB: a smaller difference may be rounding. */
export const ROUNDING_DB = 1e-5;

/** What is known of a part. Levels are in dB on the scale of the limit, with its penalty; null if there is none. */
export interface Judged {
  readonly limit_db: number;
  readonly level: number | null;
  /** The same, if levels at the floor count as zero energy. */
  readonly lowest: number | null;
  /** A level that the whole part has at least, whatever is not measured. */
  readonly certain: number | null;
  readonly isCut: boolean;
  readonly isRunning: boolean;
  /** Whether the part has begun; if hours or quarters are assessed, whether the first one has ended. */
  readonly isBegun: boolean;
  readonly isMeasured: boolean;
  /** The level of what was measured of stretches that may lack. */
  readonly lacking: number | null;
  /** Whether a level is at the ceiling, or a window was overloaded: the true level has no upper bound. */
  readonly isAtCeiling: boolean;
}

/** The lowest excess that is over, dB. Without an uncertainty, levels are compared as they are reported: to 0.1 dB. */
export const leastOver = (uncertaintyDb: number | null) =>
  uncertaintyDb === null ? 0.05 - ROUNDING_DB : uncertaintyDb + ROUNDING_DB;

/** @returns the state, and its reason unless it is `over` or `under` */
export function verdictOf(
  { limit_db, level, lowest, certain, isCut, isRunning, isBegun, isMeasured, lacking, isAtCeiling }: Judged,
  uncertaintyDb: number | null,
): { state: Exclude<State, null>; reason: Reason | null } {
  const least = leastOver(uncertaintyDb);
  const exceeds = (each: number | null) => each !== null && each - limit_db >= least;
  const isBelow =
    level !== null && (uncertaintyDb === null ? level - limit_db < least : limit_db - level >= least);
  const isDecidable = !isRunning && !isCut && isMeasured;
  if (exceeds(certain) || (isDecidable && exceeds(level) && exceeds(lowest)))
    return { state: 'over', reason: null };
  if (isDecidable && isBelow && !isAtCeiling && !exceeds(lacking)) return { state: 'under', reason: null };
  const undecided = (reason: Reason) => ({ state: 'undecided' as const, reason });
  if (!isBegun) return undecided('not_yet');
  if (!isMeasured || exceeds(lacking) || (isCut && !isRunning)) return undecided('too_little_measured');
  if (level === null) return undecided(isRunning ? 'not_yet' : 'too_little_measured');
  if (exceeds(level) && !exceeds(lowest)) return undecided('at_floor');
  if (isAtCeiling) return undecided('at_ceiling');
  return undecided(isBelow || exceeds(level) ? 'not_yet' : 'within_uncertainty');
}
