// events.series: all noise events of an interval, counted by bucket.
import { DEFAULT_TIME_ZONE } from '../../../contract/parameters.ts';
import { readInterval } from '../../interval-and-cursor.ts';
import { localBuckets } from '../../local-buckets.ts';
import { onScale } from '../../on-scale.ts';
import { BUCKET_SECONDS } from '../../stats/series/contract.ts';
import { documented, heavy, operation } from '../../trpc.ts';
import { searchEvents } from '../read-criteria.ts';
import { EventSeriesInput, EventSeriesOutput } from './contract.ts';
import { cutsBetween, eventSeries } from './query.ts';

export const eventsSeries = operation(
  '/events/series',
  'All noise events of an interval, counted by bucket',
  'The number of noise events that start in each bucket, and the level of the loudest. They are the events that events.list returns.',
  { cache: 'revalidated', rows: 'buckets' },
)
  .input(EventSeriesInput)
  .output(documented(EventSeriesOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now } = ctx;
    const interval = readInterval(input, now);
    const { bucket, cuts = cutsBetween(interval, BUCKET_SECONDS[bucket]) } = localBuckets(interval, input);
    const { time_zone = DEFAULT_TIME_ZONE } = input;
    return searchEvents(ctx, input, interval, async (store, criteria) => {
      const found = await eventSeries(store, { interval, criteria, now }, cuts);
      return { bucket, time_zone, ...found };
    });
  });
