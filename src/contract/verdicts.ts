// Verdicts: how a part of a limit compares with it, and the reason if that is not certain.
import { z } from 'zod';
import { meaningsOf, nameIn } from './parameters.ts';

export const State = z.enum(['over', 'under', 'undecided']).nullable();
export type State = z.infer<typeof State>;

const REASONS = {
  too_little_measured:
    'undecided, because less than min_measured_percent was measured, or because the interval cuts the part',
  at_floor: 'undecided, because the level is over only if levels at the floor count at face value',
  at_ceiling:
    'undecided, because a level at the ceiling has no upper bound (IEC 61672-1, 5.11): over_range counts them, and first_over_range is the first minute. Excluding these minutes removes them',
  within_uncertainty: 'undecided, because the level differs from the limit by at most uncertainty_db',
  not_yet: 'undecided, because the part has not ended',
  energy_of_maxima: 'null, because the levels are maxima without an energy mean (energy_unavailable)',
  samples: 'null, because the windows of points are shorter than a tenth of the spacing of points',
  other_weighting:
    'null, because the levels have another weighting than the limit, or an unknown one: `npm run station -- set NAME --weighting A` sets that of levels without one',
  two_scales: 'null, because levels in the interval have different scales',
  not_calibrated: 'null, because the levels are not calibrated',
} as const;
export const Reason = nameIn(REASONS);
export type Reason = z.infer<typeof Reason>;

/** Why a state is undecided or null, the first reason that applies. */
export const reasonOrNull = Reason.nullable().meta({
  description: `Why \`state\` is \`undecided\` or null, the first that applies. ${meaningsOf(REASONS)}. Null with \`over\` and \`under\``,
});

/** The rule for the state of a part. */
export const VERDICT_RULE =
  '`over`: the energy measured above the floor, spread over the whole part (or over one of its hours), exceeds the limit, which is certain even while the part runs; or the part has ended, the interval does not cut it, enough of it was measured, and assessed_db exceeds the limit even if levels at the floor count as zero energy. `under`: the part has ended, the interval does not cut it, enough of it was measured, no level is at the ceiling, no window was overloaded, and assessed_db is below the limit. `undecided`: neither. To exceed or to be below, a level must differ from limit_db by more than uncertainty_db; if that is null or 0, the difference is rounded to 0.1 dB, and a difference of 0 is below';
