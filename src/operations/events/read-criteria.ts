// Reads the criteria of events from parameters, and refuses a search that would read too many points.
import type { z } from 'zod';
import { Levels } from '../../contract/periods.ts';
import { badParameter } from '../../errors.ts';
import { storedLevel } from '../on-scale.ts';
import type { Criteria } from './event-criteria.ts';
import { DEFAULT_THRESHOLD_DB, type eventCriteria, MAX_HOLD_SECONDS } from './list/contract.ts';
import { type SearchLimits, TooManyPoints } from './search-runs-back.ts';

type CriteriaInput = z.output<z.ZodObject<typeof eventCriteria>>;

/** @param offset_db the offset from stored levels to the threshold's scale */
export function readCriteria(input: CriteriaInput, offset_db: number): Omit<Criteria, 'spacing_seconds'> {
  const { above_background = null, hysteresis, hold_seconds = null, min_duration_seconds } = input;
  if (above_background !== null && input.threshold !== undefined)
    throw badParameter('above_background', 'must not be given together with threshold');
  const threshold = above_background === null ? readThreshold(input.threshold, offset_db) : null;
  return { threshold, above_background, hysteresis, hold_seconds, min_duration_seconds };
}

/** @returns the threshold as stored, -10 by default */
export const readThreshold = (given: number | undefined, offset_db: number): number =>
  given === undefined ? DEFAULT_THRESHOLD_DB : storedLevel('threshold', given, offset_db);

/** The criteria that all pages of a search share, with the threshold on the requested scale. */
export function criteriaKey({ threshold, above_background, ...input }: CriteriaInput): (number | null)[] {
  const { levels, hysteresis, hold_seconds = null, min_duration_seconds } = input;
  const preset = levels === 'stored' && above_background === undefined ? DEFAULT_THRESHOLD_DB : null;
  return [
    Levels.options.indexOf(levels),
    threshold ?? preset,
    above_background ?? null,
    hysteresis,
    hold_seconds,
    min_duration_seconds,
  ];
}

/** The `hold_seconds` of an answer. If not requested, it is the default at the newest points. */
export const shownHold = ({ hold_seconds, spacing_seconds }: Criteria) =>
  hold_seconds ?? Math.min(Math.max(1, 2 * (spacing_seconds ?? 0)), MAX_HOLD_SECONDS);

/** @param instead completes the message "must be higher, or" */
export function refuseTooMany(
  { threshold }: Pick<Criteria, 'threshold'>,
  { mostPoints, mostRead }: SearchLimits,
  instead: string,
) {
  return (error: unknown): never => {
    if (!(error instanceof TooManyPoints)) throw error;
    throw badParameter(
      threshold === null ? 'above_background' : 'threshold',
      `must be higher, or ${instead}: the search would read more than ${mostPoints} points above threshold - hysteresis, or ${mostRead} points in minutes with such points`,
    );
  };
}
