// stats.series: input and output.
import { z } from 'zod';
import { Exclusions } from '../../../contract/exclusions.ts';
import { instant, text } from '../../../contract/fields.ts';
import {
  fromToWithoutZone,
  nameIn,
  parameters,
  timeZoneInput,
  wholeNumberFrom,
} from '../../../contract/parameters.ts';
import { levelsInput } from '../../../contract/periods.ts';
import {
  EXAMPLE_MEASURED_INTERVAL,
  EXAMPLE_STATISTICS,
  exceeded,
  leqLow,
  measuredInterval,
  statistics,
} from '../../../contract/statistics.ts';

/** The possible lengths of a bucket in seconds, shortest first: those that divide a day, then those of the calendar. */
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
  '1w': 7 * 86_400,
  '1mo': 30 * 86_400, // at least 28
  '1y': 365 * 86_400, // or 366
} as const;
export const Bucket = nameIn(BUCKET_SECONDS);
export type Bucket = z.infer<typeof Bucket>;

/** A year of hours, and the hours that clock changes add. */
export const MAX_BUCKETS = 9000;
export const DEFAULT_BUCKETS = 500;

/** The most days in a time zone other than UTC, if each is a bucket: the sum of half hours. */
export const MAX_LOCAL_DAYS = 366;

/** Buckets of at least this length count levels, no matter how many points there are. */
export const ALWAYS_COUNTED_SECONDS = BUCKET_SECONDS['30m'];

/** Shorter buckets count levels only if the answer has at most this many points. */
export const MOST_COUNTED = 1_000_000;

/** The parameters for the length of buckets: at most one of them may be given. */
export function bucketChoice(most: number, preset: number) {
  return {
    bucket: Bucket.meta({
      description: `Length of a bucket. \`1w\`, \`1mo\` and \`1y\` are weeks from Monday, months and years of the calendar. Refused if the interval needs more than ${most} buckets, or together with max_points`,
      examples: ['1h'],
    }).optional(),
    max_points: wholeNumberFrom(1, most)
      .meta({
        description: `Chooses the shortest bucket that gives at most this many buckets. Default without \`bucket\`: ${preset}, or as many as there are days, up to ${most}`,
      })
      .optional(),
  };
}

const ExceededLevels = nameIn({ omit: 'percentile levels are null', include: 'levels are counted' });

export const SeriesInput = parameters({
  ...fromToWithoutZone,
  levels: levelsInput,
  ...bucketChoice(MAX_BUCKETS, DEFAULT_BUCKETS),
  exceeded_levels: ExceededLevels.default('omit').meta({
    description:
      'Whether to compute l10_db, l50_db, l90_db and leq_low_db, and dominant_frequency_hz in buckets of 1w and longer. With many points, this takes several times as long. With `omit`, these fields are null',
    examples: ['include'],
  }),
  time_zone: timeZoneInput(
    `IANA time zone of buckets of 1h, 1d, 1w, 1mo and 1y. An hour begins at each full hour of local clocks, and at each clock change: a repeated hour is two buckets, a skipped hour none. A day lasts from midnight to midnight: 23 or 25 hours if clocks change. Weeks, months and years begin at midnight too. Zones other than UTC allow at most ${MAX_LOCAL_DAYS} buckets of 1d. Buckets of other lengths are aligned to UTC, and refused with any other zone`,
    'UTC',
  ),
  exclusions: Exclusions,
});

export const SeriesBucket = z
  .object({
    time: instant(
      'Start of the bucket. Buckets of 1h, and of 1d and longer, follow time_zone; others are aligned to UTC',
    ),
    ...statistics,
    leq_low_db: leqLow,
    l10_db: exceeded(10, '90th percentile'),
    l50_db: exceeded(50, 'median'),
    l90_db: exceeded(90, '10th percentile'),
  })
  .meta({
    id: 'SeriesBucket',
    description: `Statistics of the points that lie in the bucket and in the interval. Without points, point_count is 0 and the other fields are null. In buckets of 1w and longer, dominant_frequency_hz is also null without exceeded_levels=include. leq_low_db, l10_db, l50_db and l90_db are also null without it, or if buckets are shorter than 30m and the answer has more than ${MOST_COUNTED} points`,
  });
export type SeriesBucket = z.infer<typeof SeriesBucket>;

export const SeriesOutput = z
  .object({
    ...measuredInterval,
    bucket: Bucket.meta({ description: 'Length of each bucket' }),
    time_zone: text('Time zone of buckets of 1h, and of 1d and longer'),
    buckets: z.array(SeriesBucket).meta({
      description:
        'Every bucket of the interval, oldest first. The first and the last may extend beyond the interval, but cover only points in it',
    }),
  })
  .meta({
    id: 'Series',
    description: 'Statistics of an interval, bucket by bucket',
    examples: [
      {
        ...EXAMPLE_MEASURED_INTERVAL,
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
