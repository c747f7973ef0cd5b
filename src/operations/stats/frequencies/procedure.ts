// stats.frequencies: dominant frequencies over time.
import { BANDS } from '../../../contract/bands.ts';
import { bucketOfHistory } from '../../history-ends.ts';
import { leaveOut, readInterval } from '../../interval-and-cursor.ts';
import { localBuckets } from '../../local-buckets.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { BUCKET_SECONDS, type Bucket } from '../series/contract.ts';
import {
  DEFAULT_FREQUENCY_BUCKETS,
  FrequenciesInput,
  FrequenciesOutput,
  MAX_FREQUENCY_BUCKETS,
} from './contract.ts';
import { frequencies as readFrequencies } from './query.ts';

export const statsFrequencies = operation(
  '/stats/frequencies',
  'Dominant frequencies over time',
  'Points by time and by the third-octave band of their dominant frequency, ready for a heat map. This is not a spectrum.',
  { cache: 'revalidated' },
)
  .input(FrequenciesInput)
  .output(documented(FrequenciesOutput))
  .use(heavy)
  .query(async ({ ctx, input }) => {
    const interval = readInterval(input, ctx.now);
    const limits = { max: MAX_FREQUENCY_BUCKETS, preset: DEFAULT_FREQUENCY_BUCKETS };
    const { bucket: chosen, cuts } = localBuckets(interval, input, limits);
    return leaveOut(ctx, input.exclusions, interval, async (store) => {
      const read = (bucket: Bucket) => readFrequencies(store, interval, BUCKET_SECONDS[bucket], cuts);
      const buckets = await read(chosen);
      const bucket = await bucketOfHistory(store, interval, chosen, input.bucket);
      return { ...interval, bucket, bands: BANDS, buckets: bucket === chosen ? buckets : await read(bucket) };
    });
  });
