// Shared by noise event operations: reads criteria on the requested scale, refuses too long searches, and leaves out
// exclusions.
import type { z } from 'zod';
import { DEFAULT_ABOVE_BACKGROUND_DB } from '../../contract/default-event-rule.ts';
import type { Exclusions } from '../../contract/exclusions.ts';
import type { OpenInterval } from '../../contract/instant.ts';
import { SHORTER_INTERVAL } from '../../contract/parameters.ts';
import { type LevelScale, Levels } from '../../contract/periods.ts';
import { badParameter } from '../../errors.ts';
import { spacing } from '../../points/point-times.ts';
import type { Store } from '../../rollups/store.ts';
import type { Context } from '../context.ts';
import { unavailableIn } from '../history-ends.ts';
import { measuredAnswer, shownScale, storedLevel } from '../on-scale.ts';
import { ALL_LIMITS } from './all-runs.ts';
import type { CountCriteria, Criteria } from './event-criteria.ts';
import { type countedEvents, type eventCriteria, MAX_HOLD_SECONDS } from './list/contract.ts';
import { type SearchLimits, TooManyPoints } from './search-runs-back.ts';

type CriteriaInput = z.output<z.ZodObject<typeof eventCriteria>>;

const NAMES = { threshold: 'threshold', above_background: 'above_background' };
const COUNT_NAMES = { threshold: 'event_threshold_db', above_background: 'event_above_background' };

/** @param offset_db from stored levels to the threshold's scale. @param names of the parameters, for errors */
function readCriteria(input: CriteriaInput, offset_db: number, names = NAMES): CountCriteria {
  const { threshold: given, above_background: above, hold_seconds, hysteresis, min_duration_seconds } = input;
  if (above !== undefined && given !== undefined)
    throw badParameter(names.above_background, `must not be given together with ${names.threshold}`);
  return {
    threshold: given === undefined ? null : storedLevel(names.threshold, given, offset_db),
    above_background: given === undefined ? (above ?? DEFAULT_ABOVE_BACKGROUND_DB) : null,
    hysteresis,
    hold_seconds: hold_seconds === 'auto' ? null : hold_seconds,
    min_duration_seconds,
  };
}

type CountInput = z.output<z.ZodObject<typeof countedEvents>> & Pick<CriteriaInput, 'levels'>;

const isCounted = ({ events, event_threshold_db, event_above_background }: CountInput) =>
  events === 'true' || event_threshold_db !== undefined || event_above_background !== undefined;

const criteriaOfCount = (input: CountInput, offset_db: number) =>
  readCriteria(
    {
      levels: input.levels,
      threshold: input.event_threshold_db,
      above_background: input.event_above_background,
      hysteresis: input.event_hysteresis,
      hold_seconds: input.event_hold_seconds,
      min_duration_seconds: input.event_min_duration_seconds,
    },
    offset_db,
    COUNT_NAMES,
  );

/** Refuses bad criteria before any statement. A threshold on the absolute scale needs the newest scale. */
export async function checkCount(ctx: Context, input: CountInput): Promise<void> {
  if (input.levels === 'stored') criteriaOfCount(input, 0);
  else if (input.event_threshold_db !== undefined) await ctx.rollups.annotations.latest(ctx.db);
}

/** @returns the criteria of the events to count, as stored; null if none are counted */
export async function readCount(ctx: Context, input: CountInput, interval: OpenInterval, scale: LevelScale) {
  if (!isCounted(input)) return null;
  const { offset_db } = await shownScale(ctx, input.levels, interval, scale);
  return criteriaOfCount(input, offset_db);
}

export const shownThresholds = (criteria: CountCriteria | null) => ({
  event_threshold_db: criteria?.threshold ?? null,
  event_above_background: criteria?.above_background ?? null,
});

/** The criteria that all pages of a search share, with the threshold on the requested scale. */
export function criteriaKey({ threshold, ...input }: CriteriaInput): (number | null)[] {
  const { above_background, hysteresis, hold_seconds, min_duration_seconds } = readCriteria(input, 0);
  return [
    Levels.options.indexOf(input.levels),
    threshold ?? null,
    threshold === undefined ? above_background : null,
    hysteresis,
    hold_seconds,
    min_duration_seconds,
  ];
}

/** The `hold_seconds` of an answer. With `auto`, it is that at the newest points. */
const shownHold = ({ hold_seconds, spacing_seconds }: Criteria) =>
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
 * @param search finds the events, in stored levels, and throws TooManyPoints beyond `limits`
 * @param instead as in {@link refuseTooMany}
 * @param usualSpacing in seconds, for the default hold; null with too few points. By default, at the end of the interval
 * @returns the result of the search, with the criteria, the interval and the scale
 */
export async function searchEvents<Interval extends OpenInterval, Found extends object>(
  ctx: Context,
  input: CriteriaInput & { readonly exclusions: Exclusions },
  interval: Interval,
  search: (store: Store, criteria: Criteria) => Promise<Found>,
  {
    limits = ALL_LIMITS,
    instead = SHORTER_INTERVAL,
    usualSpacing = () => spacing(ctx, interval.to, ctx.now),
  }: {
    limits?: SearchLimits;
    instead?: string;
    usualSpacing?: (() => Promise<number | null>) | undefined;
  } = {},
) {
  if (input.levels === 'stored') readCriteria(input, 0); // refuse bad input before any statement
  await ctx.rollups.annotations.latest(ctx.db);
  const spacing_seconds = await usualSpacing();
  return measuredAnswer(ctx, input, interval, async (store, scale) => {
    const { offset_db } = await shownScale(ctx, input.levels, interval, scale);
    const criteria = { ...readCriteria(input, offset_db), spacing_seconds };
    const found = await search(store, criteria).catch(refuseTooMany(criteria, limits, instead));
    return {
      ...criteria,
      hold_seconds: shownHold(criteria),
      ...found,
      ...(await unavailableIn(store, interval)),
    };
  });
}
