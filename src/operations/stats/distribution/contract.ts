// stats.distribution: input and output.
import { z } from 'zod';
import { Exclusions } from '../../../contract/exclusions.ts';
import { count, number, share } from '../../../contract/fields.ts';
import { fromTo, must, parameters } from '../../../contract/parameters.ts';
import { levelsInput } from '../../../contract/periods.ts';
import { EXAMPLE_MEASURED_INTERVAL, measuredInterval } from '../../../contract/statistics.ts';

/** The possible widths of a level class, in dB. Each divides the range of levels evenly. */
const STEPS_DB = [0.1, 0.5, 1, 5];
const allowed = must(`one of ${STEPS_DB.join(', ')}`);

export const DistributionInput = parameters({
  ...fromTo,
  levels: levelsInput,
  step: z
    .number(allowed)
    .refine((step) => STEPS_DB.includes(step), allowed)
    .default(1)
    .meta({ description: 'Width of each level class, dB', enum: STEPS_DB, examples: [1] }),
  exclusions: Exclusions,
});

const LevelClass = z
  .object({
    level_db: number('Lower edge of the class, inclusive, dB'),
    point_count: count('Points whose level lies in the class'),
    exceeded_percent: share('Share of the levels at or above level_db, percent; null without levels'),
  })
  .meta({ id: 'LevelClass' });

const EXAMPLE_COUNTS = [9000, 12600, 7200, 3600, 1800, 1440, 360, 0, 0, 0, 0];
const EXAMPLE_LEVELS = EXAMPLE_COUNTS.map((point_count, index) => ({
  level_db: 5 * index - 50,
  point_count,
  exceeded_percent: EXAMPLE_COUNTS.slice(index).reduce((sum, count) => sum + count) / 360,
}));

export const DistributionOutput = z
  .object({
    ...measuredInterval,
    step_db: number('Width of each class, dB'),
    level_count: count('Points that have a level'),
    levels: z.array(LevelClass).meta({
      description:
        'Every class from -50 to 0 dB, lowest first. Empty if points were removed (levels_unavailable)',
    }),
  })
  .meta({
    id: 'Distribution',
    description:
      'How often each level was measured, and how often it was reached or exceeded. Read L_N from exceeded_percent. Levels are first rounded to 0.1 dB',
    examples: [{ ...EXAMPLE_MEASURED_INTERVAL, step_db: 5, level_count: 36000, levels: EXAMPLE_LEVELS }],
  });
export type DistributionOutput = z.infer<typeof DistributionOutput>;
