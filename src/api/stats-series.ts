// stats.series: the statistics of an interval, bucket by bucket.
import {
  BUCKET_SECONDS,
  DEFAULT_BUCKETS,
  MAX_BUCKETS,
  MAX_LOCAL_DAYS,
  SeriesInput,
  SeriesOutput,
} from '../contract/series.ts';
import { badParameter } from '../errors.ts';
import { dailySeries, series as readSeries } from '../queries/statistics/series.ts';
import { aboutLevels } from './about-levels.ts';
import { chooseBucket } from './choose-bucket.ts';
import { readInterval } from './interval-and-cursor.ts';
import { localMidnights } from './local-days.ts';
import { operation } from './operation.ts';

export const series = operation({
  name: 'stats.series',
  kind: 'json',
  summary: 'Statistics of an interval, bucket by bucket',
  description:
    'What a chart needs: one entry for each bucket, also where it holds no points. Buckets of a day are those of time_zone, shorter ones are aligned to UTC.',
  input: SeriesInput,
  output: SeriesOutput,
  cache: 'revalidated',
  isHeavy: () => true,
  async answer(context, input) {
    const { time_zone } = input;
    const interval = readInterval(input, context.now);
    if (time_zone !== 'UTC' && input.bucket !== undefined && input.bucket !== '1d')
      throw badParameter(
        'time_zone',
        `must be UTC with buckets of ${input.bucket}: only days have a time zone`,
      );
    const midnights = time_zone === 'UTC' ? undefined : localMidnights(interval, time_zone, MAX_BUCKETS);
    const limits = { max: MAX_BUCKETS, preset: DEFAULT_BUCKETS };
    const bucket = chooseBucket(interval, input, limits, midnights && midnights.length - 1);
    const days = bucket === '1d' ? midnights : undefined;
    if (days && days.length > MAX_LOCAL_DAYS + 1)
      throw badParameter(
        'from',
        `must be later: at most ${MAX_LOCAL_DAYS} days of a time zone may be touched`,
      );
    const most = input.exceeded_levels === 'omit' ? 0 : undefined;
    const buckets = await (days
      ? dailySeries(context, interval, days, most)
      : readSeries(context, interval, BUCKET_SECONDS[bucket], most));
    const about = await aboutLevels(context, interval);
    return { kind: 'json', value: { ...interval, ...about, bucket, time_zone, buckets } };
  },
});
