// stats.distribution: the distribution of the levels of an interval.
import { DistributionInput, DistributionOutput } from '../contract/distribution.ts';
import { leaveOut } from '../queries/leave-out.ts';
import { scaleOfAnswer } from '../queries/periods.ts';
import { distribution as readDistribution } from '../queries/statistics/distribution.ts';
import { readInterval } from './interval-and-cursor.ts';
import { documented, get } from './meta.ts';
import { onScale } from './on-scale.ts';
import { heavy, procedure } from './trpc.ts';

export const statsDistribution = procedure
  .meta({
    openapi: get(
      '/stats/distribution',
      'The distribution of the levels of an interval',
      'Counts by level class, and the share of levels at or above each class. That share is L_N as a curve.',
    ),
    cache: 'revalidated',
    rows: 'levels',
  })
  .input(DistributionInput)
  .output(documented(DistributionOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const interval = readInterval(input, ctx.now);
    const { step } = input;
    return leaveOut(ctx, input.exclusions, interval, async (store) => {
      const levels = await readDistribution(store, interval, step);
      const scale = await scaleOfAnswer(store, interval);
      return { ...interval, scale, step_db: step, ...levels };
    });
  });
