// How far apart the points of a window are, where that changes.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';

/** The most stretches of one spacing that an answer lists. */
export const MAX_SPACINGS = 100;

export const SpacingChanges = z.boolean().meta({
  description:
    'Whether the spacing of the points changes within the window (stats.quality says where): every point counts alike, so its denser part weighs more',
});

export const Spacing = z
  .object({
    from: Instant.meta({
      description: 'Start of the window, or of the piece from which on points are so far apart',
    }),
    to: Instant.meta({ description: 'Start of the next one, or end of the window' }),
    spacing_seconds: z.number().meta({
      description: 'Median distance of neighbouring distinct times among the first 21 of them',
    }),
  })
  .meta({ id: 'Spacing' });
export type Spacing = z.infer<typeof Spacing>;
