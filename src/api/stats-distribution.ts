// stats.distribution: how the levels of an interval are distributed.
import { DistributionInput, DistributionOutput } from '../contract/distribution.ts';
import { scaleOfAnswer } from '../queries/periods.ts';
import { distribution as readDistribution } from '../queries/statistics/distribution.ts';
import { readInterval } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const distribution = operation({
  name: 'stats.distribution',
  kind: 'json',
  summary: 'How the levels of an interval are distributed',
  description: 'Counts by classes of levels, and the share of the levels that reach each: L_N as a curve.',
  input: DistributionInput,
  output: DistributionOutput,
  rows: 'levels',
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const interval = readInterval(input, context.now);
    const { step } = input;
    const levels = await readDistribution(context, interval, step);
    const scale = await scaleOfAnswer(context, interval);
    return { kind: 'json', value: { ...interval, scale, step_db: step, ...levels } };
  },
});
