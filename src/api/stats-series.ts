// stats.series: the statistics of an interval, bucket by bucket.
import {
  BUCKET_SECONDS,
  DEFAULT_BUCKETS,
  MAX_BUCKETS,
  SeriesInput,
  SeriesOutput,
} from '../contract/series.ts';
import { series as readSeries } from '../queries/statistics/series.ts';
import { chooseBucket } from './choose-bucket.ts';
import { readInterval } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const series = operation({
  name: 'stats.series',
  kind: 'json',
  summary: 'Statistics of an interval, bucket by bucket',
  description:
    'What a chart needs: one entry for each bucket, also where it holds no points. Buckets are aligned to UTC.',
  input: SeriesInput,
  output: SeriesOutput,
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const interval = readInterval(input, context.now);
    const bucket = chooseBucket(interval, input, { max: MAX_BUCKETS, preset: DEFAULT_BUCKETS });
    const buckets = await readSeries(context, interval, BUCKET_SECONDS[bucket]);
    return { kind: 'json', value: { ...interval, bucket, buckets } };
  },
});
