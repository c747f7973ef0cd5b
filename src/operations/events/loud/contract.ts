// events.loud: input and output.
import { z } from 'zod';
import { instantOrNull, number } from '../../../contract/fields.ts';
import { history_until } from '../../../contract/history.ts';
import {
  Cursor,
  EXAMPLE_INTERVAL,
  limitInput,
  NextCursor,
  optionalFromTo,
  parameters,
} from '../../../contract/parameters.ts';
import { levelsInput, PointsScale } from '../../../contract/periods.ts';
import { EXAMPLE_POINT, MAX_PAGE_POINTS, Point } from '../../../contract/point.ts';
import { DEFAULT_THRESHOLD_DB, THRESHOLD_RANGE, threshold } from '../list/contract.ts';

export const LoudInput = parameters({
  threshold: threshold(`Returns only points strictly above this level, dB: ${THRESHOLD_RANGE}`)
    .meta({ default: DEFAULT_THRESHOLD_DB })
    .optional(),
  levels: levelsInput,
  ...optionalFromTo,
  limit: limitInput(MAX_PAGE_POINTS, 1000, 'Most points per page'),
  cursor: Cursor,
}).prefault({});

export const LoudOutput = z
  .object({
    threshold: number('The points are strictly above this level, dB'),
    from: instantOrNull('Start of the interval, inclusive; null if it has none'),
    to: instantOrNull('End of the interval, exclusive; null if it has none'),
    history_until,
    scale: PointsScale,
    points: z.array(Point).meta({ description: 'Newest first' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'LoudPoints',
    examples: [{ threshold: -10, ...EXAMPLE_INTERVAL, points: [EXAMPLE_POINT], next_cursor: null }],
  });
