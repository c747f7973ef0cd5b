// stats.series: what goes in, what comes out.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from './exclusions.ts';
import { EXAMPLE_INTERVAL, Instant, intervalEnds } from './instant-schema.ts';
import { FromOrDate, nameIn, parameters, ToOrDate, timeZone, wholeNumberFrom } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from './periods.ts';
import { EXAMPLE_STATISTICS, exceeded, leqLow, statistics } from './statistics.ts';

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

/** The most days of a time zone other than UTC: half hours add up to each. */
export const MAX_LOCAL_DAYS = 366;

/** Buckets of this length and longer have their levels counted however many points there are. */
export const ALWAYS_COUNTED_SECONDS = BUCKET_SECONDS['30m'];

/** In shorter buckets the levels of so many points are counted, and of no more. */
export const MOST_COUNTED = 1_000_000;

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

/** Whether levels are counted by bucket. */
const ExceededLevels = nameIn({ omit: 'they are null', include: 'they are counted' });

export const SeriesInput = parameters({
  from: FromOrDate,
  to: ToOrDate,
  levels: levelsInput,
  ...bucketChoice(MAX_BUCKETS, DEFAULT_BUCKETS),
  exceeded_levels: ExceededLevels.default('omit').meta({
    description:
      'Whether the levels of each bucket are counted, for l10_db, l50_db, l90_db and leq_low_db: over many points that takes several times as long. Null where it is `omit`',
    examples: ['include'],
  }),
  time_zone: timeZone(
    `IANA time zone whose hours and days the buckets of 1h and 1d are. An hour begins where its clocks show a whole one, and where they are changed: one that comes twice is two buckets, one that is skipped none. A day is from midnight to midnight: 23 or 25 hours where clocks change; but for UTC at most ${MAX_LOCAL_DAYS} of them. Other buckets are aligned to UTC in any zone; one that is chosen by bucket is refused but for UTC`,
    'UTC',
  ),
  exclusions: Exclusions,
});

export const SeriesBucket = z
  .object({
    time: Instant.meta({
      description:
        'Start of the bucket: a multiple of its length since 1970, UTC, or in a time zone where its hour or its day begins',
    }),
    ...statistics,
    leq_low_db: leqLow,
    l10_db: exceeded(10, '90th percentile'),
    l50_db: exceeded(50, 'median'),
    l90_db: exceeded(90, '10th percentile'),
  })
  .meta({
    id: 'SeriesBucket',
    description: `Statistics of the points that lie in the bucket and the interval; point_count 0 and null elsewhere where there are none. leq_low_db and l10_db, l50_db and l90_db are null too without exceeded_levels=include, and where buckets are shorter than 30m and the answer has more than ${MOST_COUNTED} points`,
  });
export type SeriesBucket = z.infer<typeof SeriesBucket>;

export const SeriesOutput = z
  .object({
    ...intervalEnds,
    excluded_seconds,
    scale: LevelScale,
    bucket: Bucket.meta({ description: 'Length of each bucket' }),
    time_zone: z.string().meta({ description: 'Time zone of buckets of 1h and 1d' }),
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
        excluded_seconds: 0,
        scale: EXAMPLE_SCALE,
        bucket: '1h',
        time_zone: 'UTC',
        buckets: [
          {
            time: '2026-01-01T00:00:00.000000Z',
            ...EXAMPLE_STATISTICS,
            leq_low_db: -30.757138,
            l10_db: -26.2,
            l50_db: -42.9,
            l90_db: -50,
          },
        ],
      },
    ],
  });
