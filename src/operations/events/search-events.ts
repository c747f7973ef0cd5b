// Shared by noise event operations: reads criteria on the requested scale, and leaves out exclusions.
import type { z } from 'zod';
import type { Exclusions } from '../../contract/exclusions.ts';
import type { OpenInterval } from '../../contract/instant.ts';
import { spacing } from '../../points/spacing.ts';
import type { Store } from '../../rollups/store.ts';
import type { Context } from '../context.ts';
import { leaveOut } from '../leave-out.ts';
import { absoluteScale } from '../on-scale.ts';
import { scaleOfAnswer } from '../periods.ts';
import type { Criteria } from './event-criteria.ts';
import type { eventCriteria } from './list/contract.ts';
import { readCriteria, shownHold } from './read-criteria.ts';

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
  return leaveOut(ctx, input.exclusions, interval, async (store) => {
    const scale = await scaleOfAnswer(store, interval);
    const offset_db = input.levels === 'stored' ? 0 : (await absoluteScale(ctx, interval, scale)).offset_db;
    const criteria = { ...readCriteria(input, offset_db), spacing_seconds };
    const found = await search(store, criteria);
    return { ...criteria, hold_seconds: shownHold(criteria), ...interval, scale, ...found };
  });
}
