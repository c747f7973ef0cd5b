// Chooses the buckets of a series: their length, and the starts of local hours or days.
import { floorTo, type Interval, microsOf } from '../contract/instant.ts';
import { DEFAULT_TIME_ZONE } from '../contract/parameters.ts';
import { badParameter } from '../errors.ts';
import { DAY, HOUR, localHours, localMidnights, shownCount } from './local-days.ts';
import {
  BUCKET_SECONDS,
  Bucket,
  DEFAULT_BUCKETS,
  MAX_BUCKETS,
  MAX_LOCAL_DAYS,
} from './stats/series/contract.ts';

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

/**
 * @param limits the most buckets in an answer, and the default for `max_points`
 * @param countOf counts the buckets of a length in the interval; aligned to UTC by default
 * @returns the requested length, or the shortest that needs at most `max_points` buckets. If neither is given, buckets
 *   of 1d may exceed the default number, up to the maximum
 */
export function chooseBucket(
  interval: Interval,
  { bucket, max_points }: { bucket?: Bucket | undefined; max_points?: number | undefined },
  { max, preset }: { max: number; preset: number },
  countOf = (option: Bucket) => bucketCount(interval, option),
): Bucket {
  if (bucket !== undefined && max_points !== undefined)
    throw badParameter('max_points', 'must not be given together with bucket');
  const most = bucket === undefined ? (max_points ?? preset) : max;
  const enough = Bucket.options.find((option) => countOf(option) <= most);
  if (bucket === undefined) {
    if (enough) return enough;
    const days = countOf('1d');
    if (days > max) throw badParameter('from', `must be at most ${max} days before \`to\`, not ${days}`);
    if (max_points === undefined) return '1d';
    throw badParameter('max_points', `must be ${days} or more for this interval, even with buckets of 1d`);
  }
  const count = countOf(bucket);
  if (count <= most) return bucket;
  const instead = enough ? `must be ${enough} or longer for this interval` : 'needs a shorter interval';
  throw badParameter('bucket', `${instead}: ${count} buckets of ${bucket} are more than ${most}`);
}

/** The number of buckets, aligned to UTC, that overlap the interval. */
function bucketCount({ from, to }: Interval, bucket: Bucket): number {
  const width = BigInt(BUCKET_SECONDS[bucket]) * 1_000_000n;
  const [first, last] = [floorTo(microsOf(from), width), floorTo(microsOf(to) - 1n, width)];
  return Number((last - first) / width) + 1;
}
