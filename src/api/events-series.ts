// events.series: all noise events of an interval, counted by bucket.
import { EventSeriesInput, EventSeriesOutput } from '../contract/event-series.ts';
import { DEFAULT_TIME_ZONE } from '../contract/parameters.ts';
import { BUCKET_SECONDS } from '../contract/series.ts';
import { ALL_LIMITS } from '../queries/events/all-runs.ts';
import { cutsBetween, eventSeries } from '../queries/events/event-series.ts';
import { scaleOf } from '../queries/periods.ts';
import { spacing } from '../queries/points/spacing.ts';
import { readInterval } from './interval-and-cursor.ts';
import { leaveOut } from './leave-out.ts';
import { localBuckets } from './local-buckets.ts';
import { documented, get } from './meta.ts';
import { offsetFor, onScale } from './on-scale.ts';
import { readCriteria, refuseTooMany, toldHold } from './read-criteria.ts';
import { heavy, procedure } from './trpc.ts';

export const series = procedure
  .meta({
    openapi: get(
      '/events/series',
      'All noise events of an interval, counted by bucket',
      'How many noise events start in each bucket, and how loud the loudest of them is: all those of events.list, by the same rules.',
    ),
    cache: 'revalidated',
    rows: 'buckets',
  })
  .input(EventSeriesInput)
  .output(documented(EventSeriesOutput))
  .use(heavy)
  .use(onScale)
  .query(async ({ ctx, input }) => {
    const { now } = ctx;
    const interval = readInterval(input, now);
    const asked = readCriteria(input, await offsetFor(ctx, input.levels, interval));
    const { bucket, cuts = cutsBetween(interval, BUCKET_SECONDS[bucket]) } = localBuckets(interval, input);
    const criteria = { ...asked, spacing_seconds: await spacing(ctx, interval.to, now) };
    const hold_seconds = toldHold(criteria);
    const { time_zone = DEFAULT_TIME_ZONE } = input;
    await ctx.rollups.annotations.latest(ctx.db);
    return leaveOut(ctx, input.exclusions, interval, async (store) => {
      const found = await eventSeries(store, { interval, criteria, now }, cuts).catch(
        refuseTooMany(criteria, ALL_LIMITS, 'the interval shorter'),
      );
      const scale = await scaleOf(ctx.db, interval);
      return { ...criteria, hold_seconds, ...interval, scale, bucket, time_zone, ...found };
    });
  });
