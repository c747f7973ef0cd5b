// stats.frequencies: dominant frequencies over time.
import { BANDS } from '../contract/bands.ts';
import {
  DEFAULT_FREQUENCY_BUCKETS,
  FrequenciesInput,
  FrequenciesOutput,
  MAX_FREQUENCY_BUCKETS,
} from '../contract/frequencies.ts';
import { BUCKET_SECONDS } from '../contract/series.ts';
import { frequencies as readFrequencies } from '../queries/statistics/frequencies.ts';
import { chooseBucket } from './choose-bucket.ts';
import { readInterval } from './interval-and-cursor.ts';
import { operation } from './operation.ts';

export const frequencies = operation({
  name: 'stats.frequencies',
  kind: 'json',
  summary: 'Dominant frequencies over time',
  description:
    'Points by time and by the third-octave band of their dominant frequency: the matrix of a heat map. It is no spectrum.',
  input: FrequenciesInput,
  output: FrequenciesOutput,
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const interval = readInterval(input, context.now);
    const limits = { max: MAX_FREQUENCY_BUCKETS, preset: DEFAULT_FREQUENCY_BUCKETS };
    const bucket = chooseBucket(interval, input, limits);
    const buckets = await readFrequencies(context, interval, BUCKET_SECONDS[bucket]);
    return { kind: 'json', value: { ...interval, bucket, bands: BANDS, buckets } };
  },
});
