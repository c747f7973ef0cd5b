// events.series: all noise events of an interval, counted by bucket.
import { EventSeriesInput, EventSeriesOutput } from '../contract/event-series.ts';
import { BUCKET_SECONDS } from '../contract/series.ts';
import { ALL_LIMITS } from '../queries/events/all-runs.ts';
import { cutsBetween, eventSeries } from '../queries/events/event-series.ts';
import { scaleOf } from '../queries/periods.ts';
import { spacing } from '../queries/points/spacing.ts';
import { readInterval } from './interval-and-cursor.ts';
import { localBuckets } from './local-buckets.ts';
import { operation } from './operation.ts';
import { readCriteria, refuseTooMany, toldHold } from './read-criteria.ts';

export const series = operation({
  name: 'events.series',
  kind: 'json',
  summary: 'All noise events of an interval, counted by bucket',
  description:
    'How many noise events start in each bucket, and how loud the loudest of them is: all those of events.list, by the same rules.',
  input: EventSeriesInput,
  output: EventSeriesOutput,
  rows: 'buckets',
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const { now } = context;
    const asked = readCriteria(input);
    const interval = readInterval(input, now);
    const { bucket, cuts = cutsBetween(interval, BUCKET_SECONDS[bucket]) } = localBuckets(interval, input);
    const criteria = { ...asked, spacing_seconds: await spacing(context, interval.to, now) };
    const found = await eventSeries(context, { interval, criteria, now }, cuts).catch(
      refuseTooMany(criteria, ALL_LIMITS, 'the interval shorter'),
    );
    const scale = await scaleOf(context.db, interval);
    const hold_seconds = toldHold(criteria);
    const { time_zone } = input;
    return {
      kind: 'json',
      value: { ...criteria, hold_seconds, ...interval, scale, bucket, time_zone, ...found },
    };
  },
});
