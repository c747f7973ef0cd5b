// audio.latest and audio.range: input and output.
import { z } from 'zod';
import { EXAMPLE_INTERVAL, intervalEnds } from './instant-schema.ts';
import { Cursor, From, NextCursor, parameters, To, wholeNumber } from './parameters.ts';
import { levelsInput, PointsScale } from './periods.ts';
import { EXAMPLE_POINT, MAX_PAGE_POINTS, Point } from './point.ts';

export const LatestInput = parameters({
  limit: wholeNumber({
    min: 1,
    max: MAX_PAGE_POINTS,
    default: 100,
    description: 'Most points to return',
  }),
  levels: levelsInput,
}).prefault({});

export const LatestOutput = z
  .object({ scale: PointsScale, points: z.array(Point).meta({ description: 'Newest first' }) })
  .meta({ id: 'LatestPoints', examples: [{ points: [EXAMPLE_POINT] }] });

export const RangeInput = parameters({
  from: From,
  to: To,
  limit: wholeNumber({
    min: 1,
    max: MAX_PAGE_POINTS,
    default: 10_000,
    description: 'Most points per page',
  }),
  levels: levelsInput,
  cursor: Cursor,
});

export const RangeOutput = z
  .object({
    ...intervalEnds,
    scale: PointsScale,
    points: z.array(Point).meta({ description: 'Oldest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'PointRange',
    examples: [
      {
        ...EXAMPLE_INTERVAL,
        points: [EXAMPLE_POINT],
        next_cursor: null,
      },
    ],
  });
