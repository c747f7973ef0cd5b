// stats.series: what goes in, what comes out.
import { z } from 'zod';
import { EXAMPLE_INTERVAL, Instant, intervalEnds } from './instant-schema.ts';
import { From, nameIn, parameters, To, wholeNumberFrom } from './parameters.ts';
import { EXAMPLE_STATISTICS, statistics } from './statistics.ts';

/** The lengths that a bucket can have, shortest first, in seconds. Each divides a day. */
export const BUCKET_SECONDS = {
  '1s': 1,
  '2s': 2,
  '5s': 5,
  '10s': 10,
  '15s': 15,
  '30s': 30,
  '1m': 60,
  '2m': 120,
  '5m': 300,
  '10m': 600,
  '15m': 900,
  '30m': 1800,
  '1h': 3600,
  '2h': 2 * 3600,
  '3h': 3 * 3600,
  '6h': 6 * 3600,
  '12h': 12 * 3600,
  '1d': 86_400,
} as const;
export const Bucket = nameIn(BUCKET_SECONDS);
export type Bucket = z.infer<typeof Bucket>;

/** The most buckets that an answer may have. */
export const MAX_BUCKETS = 5000;
export const DEFAULT_BUCKETS = 500;

/** The parameters that choose the length of buckets: one of them, or none. */
export function bucketChoice(most: number, preset: number) {
  return {
    bucket: Bucket.meta({
      description: `Length of a bucket; at most ${most} of them may be needed. Not together with max_points`,
      examples: ['1h'],
    }).optional(),
    max_points: wholeNumberFrom(1, most)
      .meta({
        description: `Chooses the shortest bucket that needs no more buckets than this; ${preset} where bucket is not given either`,
      })
      .optional(),
  };
}

export const SeriesInput = parameters({
  from: From,
  to: To,
  ...bucketChoice(MAX_BUCKETS, DEFAULT_BUCKETS),
});

export const SeriesBucket = z
  .object({
    time: Instant.meta({ description: 'Start of the bucket, a multiple of its length since 1970, UTC' }),
    ...statistics,
  })
  .meta({
    id: 'SeriesBucket',
    description:
      'Statistics of the points that lie in the bucket and the interval; point_count 0 and null elsewhere where there are none',
  });
export type SeriesBucket = z.infer<typeof SeriesBucket>;

export const SeriesOutput = z
  .object({
    ...intervalEnds,
    bucket: Bucket.meta({ description: 'Length of each bucket' }),
    buckets: z.array(SeriesBucket).meta({
      description:
        'Every bucket of the interval, oldest first. The first and the last may reach beyond the interval: only its own points count',
    }),
  })
  .meta({
    id: 'Series',
    description: 'Statistics of an interval, bucket by bucket',
    examples: [
      {
        ...EXAMPLE_INTERVAL,
        bucket: '1h',
        buckets: [{ time: '2026-01-01T00:00:00.000000Z', ...EXAMPLE_STATISTICS }],
      },
    ],
  });
