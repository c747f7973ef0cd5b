// Chooses the length of the buckets of an answer.
import { floorTo, type Interval, microsOf } from '../contract/instant.ts';
import { badParameter } from '../errors.ts';
import { BUCKET_SECONDS, Bucket } from './stats/series/contract.ts';

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
export function bucketCount({ from, to }: Interval, bucket: Bucket): number {
  const width = BigInt(BUCKET_SECONDS[bucket]) * 1_000_000n;
  const [first, last] = [floorTo(microsOf(from), width), floorTo(microsOf(to) - 1n, width)];
  return Number((last - first) / width) + 1;
}
