// Shared by noise event operations: reads criteria on the requested scale, refuses too long searches, and leaves out
// exclusions.
import type { z } from 'zod';
import type { Exclusions } from '../../contract/exclusions.ts';
import type { OpenInterval } from '../../contract/instant.ts';
import { Levels } from '../../contract/periods.ts';
import { badParameter } from '../../errors.ts';
import { spacing } from '../../points/point-times.ts';
import type { Store } from '../../rollups/store.ts';
import type { Context } from '../context.ts';
import { measuredAnswer, shownScale, storedLevel } from '../on-scale.ts';
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

/**
 * Reads periods and exclusions first, because searches do not read them. The periods also give the scale.
 *
 * @param search finds the events, in stored levels
 * @param usualSpacing in seconds, for the default hold; null with too few points. By default, at the end of the interval
 * @returns the result of the search, with the criteria, the interval and the scale
 */
export async function searchEvents<Interval extends OpenInterval, Found extends object>(
  ctx: Context,
  input: z.output<z.ZodObject<typeof eventCriteria>> & { readonly exclusions: Exclusions },
  interval: Interval,
  search: (store: Store, criteria: Criteria) => Promise<Found>,
  usualSpacing = () => spacing(ctx, interval.to, ctx.now),
) {
  if (input.levels === 'stored') readCriteria(input, 0); // refuse bad input before any statement
  await ctx.rollups.annotations.latest(ctx.db);
  const spacing_seconds = await usualSpacing();
  return measuredAnswer(ctx, input, interval, async (store, scale) => {
    const { offset_db } = await shownScale(ctx, input.levels, interval, scale);
    const criteria = { ...readCriteria(input, offset_db), spacing_seconds };
    const found = await search(store, criteria);
    return { ...criteria, hold_seconds: shownHold(criteria), ...found };
  });
}
