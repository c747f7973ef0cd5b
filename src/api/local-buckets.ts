// Chooses the buckets of a series: their length, and where days of a time zone begin.
import { type Bucket, DEFAULT_BUCKETS, MAX_BUCKETS, MAX_LOCAL_DAYS } from '../contract/series.ts';
import { badParameter } from '../errors.ts';
import { chooseBucket } from './choose-bucket.ts';
import { localMidnights } from './local-days.ts';

interface BucketsInput {
  readonly bucket?: Bucket | undefined;
  readonly max_points?: number | undefined;
  readonly time_zone: string;
}

/**
 * @returns the length of the buckets; and of days that are not those of UTC the canonical instants at which they
 *   begin, and at which the last one ends
 * @throws AppError BAD_REQUEST
 */
export function localBuckets(
  interval: { from: string; to: string },
  { bucket: asked, max_points, time_zone }: BucketsInput,
): { bucket: Bucket; midnights?: readonly string[] } {
  const limits = { max: MAX_BUCKETS, preset: DEFAULT_BUCKETS };
  if (time_zone === 'UTC') return { bucket: chooseBucket(interval, { bucket: asked, max_points }, limits) };
  if (asked !== undefined && asked !== '1d')
    throw badParameter('time_zone', `must be UTC with buckets of ${asked}: only days have a time zone`);
  const midnights = localMidnights(interval, time_zone, MAX_BUCKETS);
  const bucket = chooseBucket(interval, { bucket: asked, max_points }, limits, midnights.length - 1);
  if (bucket !== '1d') return { bucket };
  if (midnights.length > MAX_LOCAL_DAYS + 1)
    throw badParameter('from', `must be later: at most ${MAX_LOCAL_DAYS} days of a time zone may be touched`);
  return { bucket, midnights };
}
