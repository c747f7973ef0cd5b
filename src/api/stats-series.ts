// stats.series: the statistics of an interval, bucket by bucket.
import { BUCKET_SECONDS, SeriesInput, SeriesOutput } from '../contract/series.ts';
import { scaleOfAnswer } from '../queries/periods.ts';
import { localSeries, series as readSeries } from '../queries/statistics/series.ts';
import { readInterval } from './interval-and-cursor.ts';
import { localBuckets } from './local-buckets.ts';
import { operation } from './operation.ts';

export const series = operation({
  name: 'stats.series',
  kind: 'json',
  summary: 'Statistics of an interval, bucket by bucket',
  description:
    'What a chart needs: one entry for each bucket, also where it holds no points. Buckets of an hour and of a day are those of time_zone, others are aligned to UTC.',
  input: SeriesInput,
  output: SeriesOutput,
  rows: 'buckets',
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const interval = readInterval(input, context.now);
    const { bucket, cuts } = localBuckets(interval, input);
    const most = input.exceeded_levels === 'omit' ? 0 : undefined;
    const buckets = await (cuts
      ? localSeries(context, interval, cuts, most)
      : readSeries(context, interval, BUCKET_SECONDS[bucket], most));
    const scale = await scaleOfAnswer(context, interval);
    return { kind: 'json', value: { ...interval, scale, bucket, time_zone: input.time_zone, buckets } };
  },
});
