// The criteria of an event: thresholds, and how long it may be interrupted.
import { MAX_HOLD_SECONDS } from './list/contract.ts';

/** The criteria of an event. Either `threshold` or `above_background` is null. */
export interface Criteria {
  readonly threshold: number | null;
  readonly above_background: number | null;
  readonly hysteresis: number;
  /** Null for `auto`: the larger of a second and twice the spacing at the time of a point. */
  readonly hold_seconds: number | null;
  readonly min_duration_seconds: number;
  /** The spacing at times whose period does not give it: that before the end of the interval. */
  readonly spacing_seconds: number | null;
}

export type CountCriteria = Omit<Criteria, 'spacing_seconds'>;

export const microsIn = (seconds: number) => BigInt(Math.round(seconds * 1e6));

/** The shortest and the longest hold of a point, in microseconds. */
export const holdsOf = ({ hold_seconds }: Criteria) => ({
  shortest: microsIn(hold_seconds ?? 1),
  longest: microsIn(hold_seconds ?? MAX_HOLD_SECONDS),
});

/** @returns the threshold of points with this background, rounded to a millionth of a dB; null if it is unknown */
export function thresholdOf(background_db: number | null, criteria: Criteria): number | null {
  if (criteria.above_background === null) return criteria.threshold;
  return background_db === null ? null : Number((background_db + criteria.above_background).toFixed(6));
}
