// audio.latest: input and output.
import { z } from 'zod';
import { limitInput, parameters } from '../../../contract/parameters.ts';
import { levelsInput, PointsScale } from '../../../contract/periods.ts';
import { EXAMPLE_POINT, MAX_PAGE_POINTS, Point } from '../../../contract/point.ts';

export const LatestInput = parameters({
  limit: limitInput(MAX_PAGE_POINTS, 100, 'Most points to return'),
  levels: levelsInput,
}).prefault({});

export const LatestOutput = z
  .object({ scale: PointsScale, points: z.array(Point).meta({ description: 'Newest first' }) })
  .meta({ id: 'LatestPoints', examples: [{ points: [EXAMPLE_POINT] }] });
