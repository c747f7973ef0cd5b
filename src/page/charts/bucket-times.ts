// The buckets of a chart. The contract has their lengths beside its schemas, which are larger than all of this page.
import type { Bucket } from '../../contract/series.ts';
import type { Interval } from '../state/shown-interval.ts';

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

export function bucketSeconds(bucket: Bucket): number {
  const unit = bucket.slice(-1) as keyof typeof UNIT_SECONDS;
  return Number(bucket.slice(0, -1)) * UNIT_SECONDS[unit];
}

/** The middles of what an interval has of buckets, in seconds since 1970: the first and the last may reach beyond it. */
export function middlesOf(
  { bucket, buckets }: { bucket: Bucket; buckets: readonly { time: string }[] },
  { from, to }: Interval,
): number[] {
  const length = bucketSeconds(bucket) * 1000;
  return buckets.map(({ time }) => {
    const start = Date.parse(time);
    return (Math.max(start, from) + Math.min(start + length, to)) / 2000;
  });
}
