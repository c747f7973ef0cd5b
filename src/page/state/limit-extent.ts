// Determines whether a verdict covers whole parts of days, or only the portion within an interval.
import type { Outputs } from '../../client/index.ts';
import type { Limit } from '../../contract/limits.ts';
import { limitSteps } from './limit-steps.ts';

type Answer = Pick<Outputs['stats']['limits'], 'from' | 'to' | 'time_zone'>;

/** `soFar`: the last part continues now. `cut`: the interval contains only a portion of a part. */
export type Extent = 'whole' | 'soFar' | 'cut';

const DAY_MS = 86_400_000;
/** A moving interval ends at most this long before now. */
const NOW_MS = 600_000;

/**
 * @param stretch the answer, or one of its parts
 * @param limits the limits of these parts
 */
export function extentOf(
  stretch: { readonly from: string; readonly to: string },
  limits: readonly Limit[],
  { from, to, time_zone }: Answer,
  now = Date.now(),
): Extent {
  const isCutAt = (time: number) =>
    Date.parse(stretch.from) <= time &&
    time <= Date.parse(stretch.to) &&
    limitSteps(limits, { from: time - DAY_MS, to: time + DAY_MS }, time_zone).some(
      (step) => step.from < time && time < step.to,
    );
  const end = Math.min(Date.parse(to), now);
  if (isCutAt(Date.parse(from))) return 'cut';
  if (!isCutAt(end)) return 'whole';
  return now - end <= NOW_MS ? 'soFar' : 'cut';
}
