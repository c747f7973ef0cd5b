// events.series: input and output.
import { z } from 'zod';
import { EventExclusions } from '../../../contract/exclusions.ts';
import { count, figure, instant, instantOrNull, text } from '../../../contract/fields.ts';
import { fromToWithoutZone, parameters, timeZoneInput } from '../../../contract/parameters.ts';
import { EXAMPLE_MEASURED_INTERVAL, measuredInterval } from '../../../contract/statistics.ts';
import { Bucket, bucketChoice, DEFAULT_BUCKETS, MAX_BUCKETS } from '../../stats/series/contract.ts';
import { EXAMPLE_CRITERIA, eventCriteria, shownCriteria } from '../list/contract.ts';

export const EventSeriesInput = parameters({
  ...eventCriteria,
  ...fromToWithoutZone,
  ...bucketChoice(MAX_BUCKETS, DEFAULT_BUCKETS),
  time_zone: timeZoneInput(
    'IANA time zone of buckets of 1h, 1d, 1w, 1mo and 1y, as in stats.series. Other buckets are aligned to UTC',
    'UTC',
  ),
  exclusions: EventExclusions,
});

export const EventBucket = z
  .object({
    time: instant('Start of the bucket'),
    event_count: count('Events that start in the bucket'),
    peak_db: figure(
      'Highest level of the events that start in the bucket, dB; null if none does. Points outside the interval, and points up to threshold - hysteresis, are ignored',
    ),
    threshold_db: figure(
      'The threshold, dB. With above_background, it is the lowest threshold of the half hours (UTC) that overlap the bucket within the interval; null if none is known',
    ),
  })
  .meta({ id: 'EventBucket', description: 'The noise events that start in a bucket' });
export type EventBucket = z.infer<typeof EventBucket>;

export const EventSeriesOutput = z
  .object({
    ...shownCriteria,
    ...measuredInterval,
    bucket: Bucket.meta({ description: 'Length of each bucket' }),
    time_zone: text('Time zone of buckets of 1h, and of 1d and longer'),
    event_count: count('Number of all events in the interval, as events.list returns them'),
    peak_db: figure('Highest peak_db of the buckets, dB; null without events'),
    peak_at: instantOrNull('First time at which an event reaches peak_db; null without events'),
    buckets: z.array(EventBucket).meta({
      description:
        'Every bucket of the interval, oldest first. The first and the last may extend beyond the interval, but cover only events that start in it',
    }),
  })
  .meta({
    id: 'EventSeries',
    description: 'All noise events of an interval, counted by bucket',
    examples: [
      {
        ...EXAMPLE_CRITERIA,
        ...EXAMPLE_MEASURED_INTERVAL,
        bucket: '1h',
        time_zone: 'UTC',
        event_count: 12,
        peak_db: -2.5,
        peak_at: '2026-01-01T00:20:01.300000Z',
        buckets: [{ time: '2026-01-01T00:00:00.000000Z', event_count: 12, peak_db: -2.5, threshold_db: -10 }],
      },
    ],
  });
