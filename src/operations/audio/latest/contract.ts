// audio.latest: input and output.
import { z } from 'zod';
import { limitInput, parameters } from '../../../contract/parameters.ts';
import { levelsInput, PointsScale } from '../../../contract/periods.ts';
import { EXAMPLE_POINT, MAX_PAGE_POINTS, Point } from '../../../contract/point.ts';

export const LatestInput = parameters({
  limit: limitInput(MAX_PAGE_POINTS, 100, 'Most points to return'),
  levels: levelsInput,
  ahead: z
    .enum(['omit', 'include'])
    .default('omit')
    .meta({
      description:
        'Whether to return points dated a minute or more ahead of the clock of the service. They are wrong, unless that clock is',
      examples: ['include'],
    }),
}).prefault({});

export const LatestOutput = z
  .object({ scale: PointsScale, points: z.array(Point).meta({ description: 'Newest first' }) })
  .meta({ id: 'LatestPoints', examples: [{ points: [EXAMPLE_POINT] }] });
