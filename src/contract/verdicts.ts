// Verdicts: how a part of a limit compares with it, and the reason if that is not certain.
import { z } from 'zod';
import { meaningsOf, nameIn } from './parameters.ts';

export const State = z.enum(['over', 'under', 'undecided']).nullable();
export type State = z.infer<typeof State>;

const REASONS = {
  too_little_measured: 'less than min_measured_percent was measured, or the interval cuts the part',
  at_floor: 'only levels at the floor make it over',
  at_ceiling: 'levels at the ceiling (over_range, first_over_range) have no upper bound',
  within_uncertainty: 'the difference is within uncertainty_db',
  not_yet: 'the part has not ended',
  energy_of_maxima: 'the levels have no energy mean (energy_unavailable)',
  samples: 'the windows of points are shorter than a tenth of their spacing',
  other_weighting: 'the levels have another weighting, or an unknown one',
  two_scales: 'the levels have different scales',
  not_calibrated: 'the levels are not calibrated',
} as const;
export const Reason = nameIn(REASONS);
export type Reason = z.infer<typeof Reason>;

/** Why a state is undecided or null, the first reason that applies. */
export const reasonOrNull = Reason.nullable().meta({
  description: `The first reason that applies, if \`state\` is undecided or null. ${meaningsOf(REASONS)}. The last five make it null`,
});

/** The rule for the state of a part. */
export const VERDICT_RULE =
  '`over`: the measured energy above the floor, spread over the whole part or one of its hours, exceeds the limit, whatever was not measured. Or the part has ended uncut, enough was measured, and assessed_db exceeds the limit even without levels at the floor. `under`: it has ended uncut, enough was measured, nothing was at the ceiling or overloaded, and assessed_db is below the limit. `undecided`: neither. Levels must differ by more than uncertainty_db. Without one, the difference is rounded to 0.1 dB, and 0 is below';
