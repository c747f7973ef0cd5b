// stats.distribution: the distribution of the levels of an interval.
import { readInterval } from '../../interval-and-cursor.ts';
import { measuredAnswer, onScale } from '../../on-scale.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { DistributionInput, DistributionOutput } from './contract.ts';
import { distribution as readDistribution } from './query.ts';

export const statsDistribution = operation(
  '/stats/distribution',
  'The distribution of the levels of an interval',
  'Counts by level class, and the share of levels at or above each class. That share is L_N as a curve.',
  { cache: 'revalidated', rows: 'levels' },
)
  .input(DistributionInput)
  .output(documented(DistributionOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const interval = readInterval(input, ctx.now);
    const { step } = input;
    return measuredAnswer(ctx, input, interval, async (store) => ({
      step_db: step,
      ...(await readDistribution(store, interval, step)),
    }));
  });
