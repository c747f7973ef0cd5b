// stats.distribution: what goes in, what comes out.
import { z } from 'zod';
import { EXAMPLE_INTERVAL, intervalEnds } from './instant-schema.ts';
import { must } from './parameter-messages.ts';
import { From, parameters, To } from './parameters.ts';

/** The widths that a class of levels can have, in dB. Each divides the range of levels. */
const STEPS_DB = [0.1, 0.5, 1, 5];
const allowed = must(`one of ${STEPS_DB.join(', ')}`);

export const DistributionInput = parameters({
  from: From,
  to: To,
  step: z
    .number(allowed)
    .refine((step) => STEPS_DB.includes(step), allowed)
    .default(1)
    .meta({ description: 'Width of each class of levels, dB', enum: STEPS_DB, examples: [1] }),
});

const LevelClass = z
  .object({
    level_db: z.number().meta({ description: 'Lower edge of the class, dB, which belongs to it' }),
    point_count: z.int().min(0).meta({ description: 'Points whose level lies in the class' }),
    exceeded_percent: z.number().min(0).max(100).nullable().meta({
      description: 'Share of the levels that reach the edge, percent; null where there is no level',
    }),
  })
  .meta({ id: 'LevelClass' });

export const DistributionOutput = z
  .object({
    ...intervalEnds,
    step_db: z.number().meta({ description: 'Width of each class, dB' }),
    level_count: z.int().min(0).meta({ description: 'Points that have a level' }),
    levels: z.array(LevelClass).meta({ description: 'Every class from -50 to 0 dB, lowest first' }),
  })
  .meta({
    id: 'Distribution',
    description:
      'How often each level was measured, and how often it was reached: the curve on which L_N is read. Levels are rounded to 0.1 dB first',
    examples: [
      {
        ...EXAMPLE_INTERVAL,
        step_db: 5,
        level_count: 36000,
        levels: [
          { level_db: -50, point_count: 9000, exceeded_percent: 100 },
          { level_db: -45, point_count: 12600, exceeded_percent: 75 },
          { level_db: -40, point_count: 7200, exceeded_percent: 40 },
          { level_db: -35, point_count: 3600, exceeded_percent: 20 },
          { level_db: -30, point_count: 1800, exceeded_percent: 10 },
          { level_db: -25, point_count: 1440, exceeded_percent: 5 },
          { level_db: -20, point_count: 360, exceeded_percent: 1 },
          { level_db: -15, point_count: 0, exceeded_percent: 0 },
          { level_db: -10, point_count: 0, exceeded_percent: 0 },
          { level_db: -5, point_count: 0, exceeded_percent: 0 },
          { level_db: 0, point_count: 0, exceeded_percent: 0 },
        ],
      },
    ],
  });
export type DistributionOutput = z.infer<typeof DistributionOutput>;
