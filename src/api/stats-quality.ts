// stats.quality: whether the microphone was there.
import { QualityInput, QualityOutput } from '../contract/quality.ts';
import { badParameter } from '../errors.ts';
import { TooManyGaps } from '../queries/statistics/gaps.ts';
import { quality as readQuality } from '../queries/statistics/quality.ts';
import { readInterval } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const quality = operation({
  name: 'stats.quality',
  kind: 'json',
  summary: 'Whether the microphone was there',
  description:
    'Gaps and coverage of an interval, how far apart points are and where that changes, and the age of the newest point. And the shares of points without a level, at the floor, at the ceiling and silent.',
  input: QualityInput,
  output: QualityOutput,
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const interval = readInterval(input, context.now);
    const found = await readQuality(context, interval, context.now, input.min_gap_seconds).catch((error) => {
      if (!(error instanceof TooManyGaps)) throw error;
      throw badParameter(
        'min_gap_seconds',
        `must be well above the distance of the points, or the interval shorter: for gaps about as long as that more than ${error.most} points would have to be looked at`,
      );
    });
    return { kind: 'json', value: { ...interval, ...found } };
  },
});
