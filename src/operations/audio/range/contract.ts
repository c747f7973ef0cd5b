// audio.range: input and output.
import { z } from 'zod';
import { history_until } from '../../../contract/history.ts';
import {
  Cursor,
  EXAMPLE_INTERVAL,
  fromTo,
  intervalEnds,
  limitInput,
  NextCursor,
  parameters,
} from '../../../contract/parameters.ts';
import { levelsInput, PointsScale } from '../../../contract/periods.ts';
import { EXAMPLE_POINT, MAX_PAGE_POINTS, Point } from '../../../contract/point.ts';

export const RangeInput = parameters({
  ...fromTo,
  limit: limitInput(MAX_PAGE_POINTS, 10_000, 'Most points per page'),
  levels: levelsInput,
  cursor: Cursor,
});

export const RangeOutput = z
  .object({
    ...intervalEnds,
    history_until,
    scale: PointsScale,
    points: z.array(Point).meta({ description: 'Oldest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'PointRange',
    examples: [{ ...EXAMPLE_INTERVAL, points: [EXAMPLE_POINT], next_cursor: null }],
  });
