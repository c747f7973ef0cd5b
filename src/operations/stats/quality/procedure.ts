// stats.quality: whether the microphone was recording.
import { SHORTER_INTERVAL } from '../../../contract/parameters.ts';
import { badParameter } from '../../../errors.ts';
import { readInterval } from '../../interval-and-cursor.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { TooManyGaps } from '../gaps.ts';
import { QualityInput, QualityOutput } from './contract.ts';
import { exclusionsBetween } from './exclusions-between.ts';
import { quality as readQuality } from './query.ts';

export const statsQuality = operation(
  '/stats/quality',
  'Whether the microphone was recording',
  'Gaps and coverage of an interval, the spacing of points, and the age of the newest point. Also the shares of points without a level, at the floor, at the ceiling, and silent.',
  { cache: 'revalidated' },
)
  .input(QualityInput)
  .output(documented(QualityOutput))
  .use(heavy)
  .query(async ({ ctx, input }) => {
    const interval = readInterval(input, ctx.now);
    const found = await readQuality(ctx, interval, ctx.now, input.min_gap_seconds, ctx.clock).catch(
      (error) => {
        if (!(error instanceof TooManyGaps)) throw error;
        throw badParameter(
          'min_gap_seconds',
          `must be well above the spacing of the points, or ${SHORTER_INTERVAL}: the search would read more than ${error.most} points`,
        );
      },
    );
    return { ...interval, ...found, ...(await exclusionsBetween(ctx, interval)) };
  });
