// stats.worst: the stretches of an interval that contribute most to its noise.
import { DEFAULT_TIME_ZONE } from '../../../contract/parameters.ts';
import { readInterval } from '../../interval-and-cursor.ts';
import { chooseBucket } from '../../local-buckets.ts';
import { assertTimeZone } from '../../local-days.ts';
import { measuredAnswer, onScale } from '../../on-scale.ts';
import { documented, get, heavy, procedure } from '../../trpc.ts';
import { BUCKET_SECONDS, DEFAULT_BUCKETS, MAX_BUCKETS } from '../series/contract.ts';
import { LEAST_ABOVE_DB, WorstStretchesInput, WorstStretchesOutput } from './contract.ts';
import { worstStretches } from './query.ts';

export const statsWorst = procedure
  .meta({
    openapi: get(
      '/stats/worst',
      'The stretches that contribute most to the noise of an interval',
      `Stretches whose buckets are all at least ${LEAST_ABOVE_DB} dB above the background. Those with the most energy above it come first. Each has its time, level, share of all energy, and third-octave band.`,
    ),
    cache: 'revalidated',
    rows: 'worst',
  })
  .input(WorstStretchesInput)
  .output(documented(WorstStretchesOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { bucket, limit, time_zone = DEFAULT_TIME_ZONE } = input;
    assertTimeZone(time_zone);
    const interval = readInterval(input, ctx.now);
    chooseBucket(interval, { bucket }, { max: MAX_BUCKETS, preset: DEFAULT_BUCKETS });
    return measuredAnswer(ctx, input, interval, async (store, { energy_unavailable }) => {
      const found = await worstStretches(store, interval, BUCKET_SECONDS[bucket], limit);
      return { bucket, time_zone, worst: energy_unavailable ? [] : found };
    });
  });
