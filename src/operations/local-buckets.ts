// Chooses the buckets of a series: their length, and the starts of local hours or days.
import type { Interval } from '../contract/instant.ts';
import { DEFAULT_TIME_ZONE } from '../contract/parameters.ts';
import { badParameter } from '../errors.ts';
import { bucketCount, chooseBucket } from './choose-bucket.ts';
import { DAY, HOUR, localHours, localMidnights, shownCount } from './local-days.ts';
import { type Bucket, DEFAULT_BUCKETS, MAX_BUCKETS, MAX_LOCAL_DAYS } from './stats/series/contract.ts';

interface BucketsInput {
  readonly bucket?: Bucket | undefined;
  readonly max_points?: number | undefined;
  readonly time_zone?: string | undefined;
}

/**
 * @returns the length of the buckets. For hours or days that are not aligned to UTC, also `cuts`: the canonical starts,
 *   then the end of the last bucket
 */
export function localBuckets(
  interval: Interval,
  { bucket: requested, max_points, time_zone = DEFAULT_TIME_ZONE }: BucketsInput,
): { bucket: Bucket; cuts?: readonly string[] } {
  const limits = { max: MAX_BUCKETS, preset: DEFAULT_BUCKETS };
  if (time_zone === DEFAULT_TIME_ZONE)
    return { bucket: chooseBucket(interval, { bucket: requested, max_points }, limits) };
  if (requested !== undefined && requested !== '1h' && requested !== '1d')
    throw badParameter(
      'time_zone',
      `must be UTC with buckets of ${requested}: only buckets of 1h and 1d follow a time zone`,
    );
  const [hours, days] = [shownCount(interval, time_zone, HOUR), shownCount(interval, time_zone, DAY)];
  const hourStarts = hours > MAX_BUCKETS ? [] : localHours(interval, time_zone);
  const bucket = chooseBucket(interval, { bucket: requested, max_points }, limits, (option) => {
    if (option === '1d') return days;
    if (option === '1h') return hours > MAX_BUCKETS ? hours : hourStarts.length - 1;
    return requested === undefined ? bucketCount(interval, option) : Number.POSITIVE_INFINITY; // only 1h and 1d may be requested here
  });
  if (bucket === '1h')
    return hourStarts.every((hour) => Date.parse(hour) % HOUR === 0)
      ? { bucket }
      : { bucket, cuts: hourStarts };
  if (bucket !== '1d') return { bucket };
  if (days > MAX_LOCAL_DAYS)
    throw badParameter(
      'from',
      `must be later: the interval may overlap at most ${MAX_LOCAL_DAYS} days of a time zone`,
    );
  return { bucket, cuts: localMidnights(interval, time_zone, MAX_LOCAL_DAYS) };
}
