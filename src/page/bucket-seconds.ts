// The lengths of buckets. The contract has them beside its schemas, which are larger than all of this page.
import type { Bucket } from '../contract/series.ts';

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

export function bucketSeconds(bucket: Bucket): number {
  const unit = bucket.slice(-1) as keyof typeof UNIT_SECONDS;
  return Number(bucket.slice(0, -1)) * UNIT_SECONDS[unit];
}
