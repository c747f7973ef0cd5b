// Verdicts: how a part of a limit compares with it, and the reason if that is not certain.
import { z } from 'zod';

export const State = z.enum(['over', 'under', 'undecided']).nullable();
export type State = z.infer<typeof State>;

export const Reason = z.enum([
  'too_little_measured',
  'at_floor',
  'at_ceiling',
  'within_uncertainty',
  'not_yet',
  'energy_of_maxima',
  'samples',
  'other_weighting',
  'two_scales',
  'not_calibrated',
]);
export type Reason = z.infer<typeof Reason>;

export const reasonOrNull = Reason.nullable().describe(
  'Why `state` is undecided (the first five reasons) or null (the others): the first that applies. For example `at_ceiling`: levels at the ceiling have no upper bound; `samples`: the windows of points are shorter than a tenth of their spacing. Null with `over` and `under`',
);

export const VERDICT_RULE =
  '`over`: the measured energy above the floor, spread over the whole part or one of its hours, exceeds the limit, whatever was not measured. Or the part has ended uncut, enough was measured, and assessed_db exceeds the limit even without levels at the floor. `under`: it has ended uncut, enough was measured, nothing was at the ceiling or overloaded, and assessed_db is below the limit. `undecided`: neither. Levels must differ by more than uncertainty_db. Without one, the difference is rounded to 0.1 dB, and 0 is below';
