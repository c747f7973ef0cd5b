// The spacing of the points of a window, and its changes.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';

/** The most stretches of equal spacing in an answer. */
export const MAX_SPACINGS = 100;

export const SpacingChanges = z.boolean().meta({
  description:
    'Whether the spacing of the points changes within the interval (`spacings` of stats.quality lists the changes). Every point has the same weight, so denser parts count more',
});

export const Spacing = z
  .object({
    from: Instant.meta({
      description: 'Start of the window, or of the first piece with this spacing',
    }),
    to: Instant.meta({ description: 'Start of the next stretch, or end of the window' }),
    spacing_seconds: z.number().meta({
      description: 'Median gap between the first 21 times, ignoring duplicates, seconds',
    }),
  })
  .meta({ id: 'Spacing' });
export type Spacing = z.infer<typeof Spacing>;
