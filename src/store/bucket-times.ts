// The times at which buckets start: multiples of their length since 1970, UTC.
import { floorTo, type Interval, microsOf, type Range } from '../contract/instant.ts';
import { type SQL, sql } from '../db/drizzle.ts';

/** The start of the bucket that holds a time. */
export function binned(time: SQL, bucketSeconds: number): SQL {
  // in seconds: a day may have 23 hours in the time zone of the session
  return sql`date_bin(${sql.raw(`'${bucketSeconds} s'`)}::interval, ${time}, '1970-01-01T00:00:00Z'::timestamptz)`;
}

/** A time in seconds since 1970. */
export const epochOf = (start: SQL) => sql`extract(epoch from ${start})::bigint`;

/** The starts of the buckets that an interval touches, in seconds since 1970. */
export function startsOf(interval: Interval, bucketSeconds: number): number[] {
  return startsIn([{ from: microsOf(interval.from), to: microsOf(interval.to) }], bucketSeconds);
}

/** The starts of the buckets that some ranges touch, in seconds since 1970. */
export function startsIn(ranges: readonly Range[], bucketSeconds: number): number[] {
  const width = BigInt(bucketSeconds) * 1_000_000n;
  const starts = new Set<number>();
  for (const { from, to } of ranges)
    for (let start = floorTo(from, width); start < to; start += width) starts.add(Number(start / 1_000_000n));
  return [...starts];
}
