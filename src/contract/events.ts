// events.loud: what goes in, what comes out.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { must } from './messages.ts';
import { Cursor, From, NextCursor, parameters, To, wholeNumber } from './parameters.ts';
import { EXAMPLE_POINT, Point } from './point.ts';

const allowed = must('a number of dB from -50 to 0');

export const LoudInput = parameters({
  threshold: z
    .number(allowed)
    .min(-50, allowed)
    .max(0, allowed)
    .default(-10)
    .meta({ description: 'Only points strictly above this level in dB', examples: [-10] }),
  from: From.optional(),
  to: To.optional(),
  limit: wholeNumber({ min: 1, max: 100_000, default: 1000, description: 'How many points a page holds' }),
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
        from: '2026-01-01T00:00:00.000000Z',
        to: '2026-01-01T01:00:00.000000Z',
        points: [EXAMPLE_POINT],
        next_cursor: null,
      },
    ],
  });
