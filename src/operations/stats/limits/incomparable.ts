// Finds why levels cannot be compared with a limit at all.
import type { Judgement, Limit } from '../../../contract/limits.ts';
import type { LevelScale } from '../../../contract/periods.ts';
import type { Reason } from '../../../contract/verdicts.ts';
import { spacingOfPoints } from '../../../points/point-times.ts';
import { annotationsOf, type Store } from '../../../rollups/store.ts';
import type { Measured } from './measured-stretches.ts';

const isWeighted = (scale: LevelScale, { weighting }: Limit, site: Judgement) =>
  (scale.weighting ?? site.weighting) === weighting;

/** Whether the limit has one for maxima, and the levels are Fast maxima of its weighting, on one scale. */
export const hasComparableMaxima = (
  scale: LevelScale,
  limit: Limit,
  site: Judgement,
  offset_db: number | null,
) =>
  limit.max_limit_db !== null &&
  scale.statistic === 'max' &&
  scale.time_weighting === 'fast' &&
  isWeighted(scale, limit, site) &&
  offset_db !== null;

/** @returns undefined if levels can be compared */
export function whyIncomparable(
  scale: LevelScale,
  limit: Limit,
  site: Judgement,
  offset_db: number | null,
  isSample: boolean,
): Reason | undefined {
  if (scale.energy_unavailable) return 'energy_of_maxima';
  if (isSample) return 'samples';
  if (scale.unit === null) return 'two_scales';
  if (!isWeighted(scale, limit, site)) return 'other_weighting';
  return offset_db === null ? 'not_calibrated' : undefined;
}

/** Windows shorter than this share of the spacing of points are samples of the time between. */
const LEAST_SHARE = 0.1;

/** Whether points represent only a small share of the time between them. Such points leave gaps. */
export async function isSampled(
  store: Store,
  measured: readonly Measured[],
  { minMeasuredPercent }: Judgement,
  to: string,
  now: string,
): Promise<boolean> {
  const hasGaps = measured.some(({ coverage }) => coverage !== null && coverage < minMeasuredPercent);
  const window = annotationsOf(store).periods.findLast(({ since }) => since < to)?.interval_ms ?? null;
  if (!hasGaps || window === null) return false;
  const seconds = await spacingOfPoints(store, to, now);
  return seconds !== null && window / 1000 < LEAST_SHARE * seconds;
}
