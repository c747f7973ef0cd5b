// stats.quality: whether the microphone was there.
import { QualityInput, QualityOutput } from '../contract/quality.ts';
import { quality as readQuality } from '../queries/statistics/quality.ts';
import { readInterval } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const quality = operation({
  name: 'stats.quality',
  kind: 'json',
  summary: 'Whether the microphone was there',
  description:
    'Gaps and coverage of an interval, the shares of points without a level, at the floor and silent, and the age of the newest point.',
  input: QualityInput,
  output: QualityOutput,
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const interval = readInterval(input, context.now);
    const found = await readQuality(context, interval, context.now, input.min_gap_seconds);
    return { kind: 'json', value: { ...interval, ...found } };
  },
});
