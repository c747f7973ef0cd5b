// events.loud: what goes in, what comes out.
import { z } from 'zod';
import { EXAMPLE_INTERVAL, Instant } from './instant-schema.ts';
import { Cursor, From, NextCursor, numberFrom, parameters, To, wholeNumber } from './parameters.ts';
import { EXAMPLE_POINT, MAX_PAGE_POINTS, Point } from './point.ts';

export const LoudInput = parameters({
  threshold: numberFrom(-50, 0, 'dB')
    .default(-10)
    .meta({ description: 'Only points strictly above this level in dB', examples: [-10] }),
  from: From.optional(),
  to: To.optional(),
  limit: wholeNumber({
    min: 1,
    max: MAX_PAGE_POINTS,
    default: 1000,
    description: 'How many points a page holds',
  }),
  cursor: Cursor,
}).prefault({});

export const LoudOutput = z
  .object({
    threshold: z.number().meta({ description: 'The points are strictly above this level in dB' }),
    from: Instant.nullable().meta({ description: 'Start of the interval, inclusive; null: no start' }),
    to: Instant.nullable().meta({ description: 'End of the interval, exclusive; null: no end' }),
    points: z.array(Point).meta({ description: 'Newest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'LoudPoints',
    examples: [
      {
        threshold: -10,
        ...EXAMPLE_INTERVAL,
        points: [EXAMPLE_POINT],
        next_cursor: null,
      },
    ],
  });
