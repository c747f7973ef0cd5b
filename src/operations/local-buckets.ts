// Chooses the buckets of a series: their length, and the starts of local hours, days, weeks, months or years.
import { floorTo, type Interval, microsOf } from '../contract/instant.ts';
import { DEFAULT_TIME_ZONE } from '../contract/parameters.ts';
import { badParameter } from '../errors.ts';
import {
  calendarCount,
  calendarStarts,
  DAY,
  HOUR,
  isCalendarUnit,
  localHours,
  localMidnights,
  shownCount,
} from './local-days.ts';
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
 * @param limits the most buckets in an answer, and the default for `max_points`
 * @returns the length of the buckets. For buckets that are not aligned to UTC, also `cuts`: the canonical starts, then
 *   the end of the last bucket
 */
export function localBuckets(
  interval: Interval,
  { bucket: requested, max_points, time_zone = DEFAULT_TIME_ZONE }: BucketsInput,
  limits = { max: MAX_BUCKETS, preset: DEFAULT_BUCKETS },
): { bucket: Bucket; cuts?: readonly string[] } {
  const isLocal = time_zone !== DEFAULT_TIME_ZONE;
  if (isLocal && requested !== undefined && requested !== '1h' && !isLong(requested))
    throw badParameter(
      'time_zone',
      `must be UTC with buckets of ${requested}: only buckets of 1h, and of 1d and longer, follow a time zone`,
    );
  const [hours, days] = [shownCount(interval, time_zone, HOUR), shownCount(interval, time_zone, DAY)];
  const hourStarts = isLocal && hours <= MAX_BUCKETS ? localHours(interval, time_zone) : [];
  const bucket = chooseBucket({ bucket: requested, max_points }, limits, (option) => {
    if (isCalendarUnit(option)) return calendarCount(interval, time_zone, option);
    if (!isLocal) return bucketCount(interval, option);
    if (option === '1h') return hours > MAX_BUCKETS ? hours : hourStarts.length - 1;
    if (requested !== undefined) return option === '1d' ? days : Number.POSITIVE_INFINITY;
    if (option === '1d') return days > MAX_LOCAL_DAYS ? Number.POSITIVE_INFINITY : days;
    return bucketCount(interval, option);
  });
  if (isCalendarUnit(bucket)) return { bucket, cuts: calendarStarts(interval, time_zone, bucket) };
  if (isLocal && bucket === '1h' && hourStarts.some((hour) => Date.parse(hour) % HOUR !== 0))
    return { bucket, cuts: hourStarts };
  if (!isLocal || bucket !== '1d') return { bucket };
  if (days > MAX_LOCAL_DAYS)
    throw badParameter(
      'from',
      `must be later, or the buckets longer: the interval may overlap at most ${MAX_LOCAL_DAYS} buckets of 1d in a time zone`,
    );
  return { bucket, cuts: localMidnights(interval, time_zone, MAX_LOCAL_DAYS) };
}

const isLong = (bucket: Bucket) => BUCKET_SECONDS[bucket] >= BUCKET_SECONDS['1d'];

/**
 * @param countOf counts the buckets of a length in the interval
 * @returns the requested length, or the shortest that needs at most `max_points` buckets. If neither is given, buckets
 *   of 1d and longer may exceed the default number, up to the maximum
 */
function chooseBucket(
  { bucket, max_points }: BucketsInput,
  { max, preset }: { max: number; preset: number },
  countOf: (option: Bucket) => number,
): Bucket {
  if (bucket !== undefined && max_points !== undefined)
    throw badParameter('max_points', 'must not be given together with bucket');
  const mostOf = (option: Bucket) =>
    bucket !== undefined || (max_points === undefined && isLong(option)) ? max : (max_points ?? preset);
  const enough = Bucket.options.find((option) => countOf(option) <= mostOf(option));
  if (bucket === undefined) {
    if (enough) return enough;
    const years = countOf('1y');
    if (max_points === undefined) throw badParameter('from', `must be at most ${max} years before \`to\``);
    throw badParameter('max_points', `must be ${years} or more for this interval, even with buckets of 1y`);
  }
  const count = countOf(bucket);
  if (count <= max) return bucket;
  const instead = enough ? `must be ${enough} or longer for this interval` : 'needs a shorter interval';
  throw badParameter('bucket', `${instead}: ${count} buckets of ${bucket} are more than ${max}`);
}

/** The number of buckets, aligned to UTC, that overlap the interval. */
function bucketCount({ from, to }: Interval, bucket: Bucket): number {
  const width = BigInt(BUCKET_SECONDS[bucket]) * 1_000_000n;
  const [first, last] = [floorTo(microsOf(from), width), floorTo(microsOf(to) - 1n, width)];
  return Number((last - first) / width) + 1;
}
