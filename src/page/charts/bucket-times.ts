// Lengths and middles of buckets, without the contract's table of lengths: its schemas would enlarge the bundle.
import { parseDuration } from '../../contract/duration.ts';
import type { Bucket } from '../../operations/stats/series/contract.ts';
import { lengthText } from '../locale-format.ts';
import type { TimeSpan } from '../state/time-span.ts';

export function bucketSeconds(bucket: Bucket): number {
  return (parseDuration(bucket) ?? Number.NaN) / 1000;
}

/** The length of a bucket, such as `5 min`. */
export const bucketText = (bucket: Bucket) => lengthText(bucketSeconds(bucket)).replace(/[.,]0 s/, ' s');

/** The middle of each bucket's part within the interval, in seconds since 1970. */
export function middlesOf(
  { bucket, buckets }: { bucket: Bucket; buckets: readonly { time: string }[] },
  { from, to }: TimeSpan,
): number[] {
  const length = bucketSeconds(bucket) * 1000;
  return buckets.map(({ time }) => {
    const start = Date.parse(time);
    return (Math.max(start, from) + Math.min(start + length, to)) / 2000;
  });
}
