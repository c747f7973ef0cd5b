// stats.series: the statistics of an interval, bucket by bucket.
import { DEFAULT_TIME_ZONE } from '../../../contract/parameters.ts';
import { bucketOfHistory } from '../../history-ends.ts';
import { readInterval } from '../../interval-and-cursor.ts';
import { localBuckets } from '../../local-buckets.ts';
import { measuredAnswer, onScale } from '../../on-scale.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { BUCKET_SECONDS, type Bucket, SeriesInput, SeriesOutput } from './contract.ts';
import { series as readSeries } from './query.ts';

export const statsSeries = operation(
  '/stats/series',
  'Statistics of an interval, bucket by bucket',
  'The data of a chart: one entry per bucket, even without points. Buckets of 1h, and of 1d and longer, follow time_zone; others are aligned to UTC.',
  { cache: 'revalidated', rows: 'buckets' },
)
  .input(SeriesInput)
  .output(documented(SeriesOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { time_zone = DEFAULT_TIME_ZONE } = input;
    const interval = readInterval(input, ctx.now);
    const { bucket: chosen, cuts } = localBuckets(interval, input);
    const most = input.exceeded_levels === 'omit' ? 0 : undefined;
    return measuredAnswer(ctx, input, interval, async (store) => {
      const read = (bucket: Bucket) => readSeries(store, interval, BUCKET_SECONDS[bucket], most, cuts);
      const buckets = await read(chosen);
      const bucket = await bucketOfHistory(store, interval, chosen, input.bucket);
      return { bucket, time_zone, buckets: bucket === chosen ? buckets : await read(bucket) };
    });
  });
