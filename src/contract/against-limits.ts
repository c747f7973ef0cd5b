// stats.limits: what goes in, what comes out.
import { z } from 'zod';
import { INSTANT_OR_DATE_ALLOWED } from './instant.ts';
import { Instant, intervalEnds } from './instant-schema.ts';
import { LIMITS_ALLOWED, Limit } from './limits.ts';
import { FromOrDate, nameIn, optionalTimeZone, parameters, ToOrDate } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from './periods.ts';
import { leqLow, level } from './statistics.ts';

/** The longest interval, in days of 24 hours. */
export const MAX_LIMIT_DAYS = 100;

/** A part whose coverage is below this, in percent, is undecided. */
export const LEAST_MEASURED = 90;

export const AgainstLimitsInput = parameters({
  from: FromOrDate.meta({
    description: `Start of the interval, at most ${MAX_LIMIT_DAYS} days before to, inclusive: ${INSTANT_OR_DATE_ALLOWED}. A date stands for its first instant there`,
    examples: ['now-16h'],
  }),
  to: ToOrDate,
  levels: levelsInput,
  limits: z
    .string(LIMITS_ALLOWED)
    .max(1000, LIMITS_ALLOWED)
    .meta({
      description:
        'Limits by time of day that do not overlap, in dB on the calibrated scale: those of the service (service.info) where it is not given',
      examples: ['06-22=55,22-06=45'],
    })
    .optional(),
  time_zone: optionalTimeZone(
    'IANA time zone in whose day the limits apply: that of the service (service.info) where it is not given',
  ),
  events: nameIn({ false: 'event_count is null', true: 'they are counted' })
    .default('false')
    .meta({
      description:
        'Whether noise events are counted, for event_count: they are searched for among the points',
      examples: ['true'],
    }),
});

const count = (description: string) => z.int().min(0).meta({ description });
const countIfComparable = (description: string) => z.int().min(0).nullable().meta({ description });

const figures = {
  point_count: count('Points, with a level or without'),
  leq_db: level('Equivalent continuous level, dB'),
  leq_low_db: leqLow,
  excess_db: level(
    'leq_db + offset_db - limit_db, dB: above 0 where the limit is exceeded; null where one of them is',
  ),
  minute_count: count(
    'Minutes with a level, of the whole minutes (UTC) that lie in the interval and are over',
  ),
  minutes_over: countIfComparable(
    'Of these minutes, those whose equivalent continuous level plus offset_db is above the limit, by more than the 0.00001 dB of rounding, even if levels at the floor count as nothing; null where offset_db is. A minute belongs to the part in which it begins',
  ),
  minutes_undecided: countIfComparable(
    'Those that are above it only if levels at the floor count as stored; null where offset_db is',
  ),
  event_count: countIfComparable(
    'Noise events that start while the limit applies: those of events.list with the threshold limit_db - offset_db and the defaults for the rest. Null without events=true, if offset_db is null, if that threshold is outside the stored -50 to 0 dB, or if too many points are above it to count',
  ),
};

const limitDb = Limit.shape.limit_db;

export const LimitFigures = z
  .object({
    ...Limit.shape,
    ...figures,
    part_count: count('Parts of days in which it applies'),
    parts_over: countIfComparable('Parts whose state is over; null where offset_db is'),
    parts_undecided: countIfComparable('Parts whose state is undecided; null where offset_db is'),
  })
  .meta({ id: 'LimitFigures', description: 'A limit, and the levels while it applies' });
export type LimitFigures = z.infer<typeof LimitFigures>;

export const LimitPart = z
  .object({
    from: Instant.meta({ description: 'Start, inclusive' }),
    to: Instant.meta({ description: 'End, exclusive' }),
    limit_db: limitDb,
    ...figures,
    measured_percent: z.number().min(0).max(100).nullable().meta({
      description:
        'How much of the part was measured, up to now: coverage_percent of stats.quality with its default, by the spacing at the end of the part; null if the part lies ahead',
    }),
    state: z
      .enum(['over', 'under', 'undecided'])
      .nullable()
      .meta({
        description: `How Leq compares with the limit. \`undecided\`: less than ${LEAST_MEASURED} % was measured, there is no level, or leq_db is above the limit and leq_low_db is not. Null if nothing calibrates the levels, with energy_unavailable, or if the part lies ahead`,
      }),
  })
  .meta({
    id: 'LimitPart',
    description:
      'A stretch in which a limit applies, within the interval. One that goes on over midnight is one part. Where clocks change it is as long as its clocks show',
  });
export type LimitPart = z.infer<typeof LimitPart>;

const example = {
  point_count: 576000,
  leq_db: -42.1,
  leq_low_db: -42.12,
  excess_db: -2.1,
  minute_count: 960,
  minutes_over: 41,
  minutes_undecided: 0,
  event_count: 73,
};

export const AgainstLimitsOutput = z
  .object({
    ...intervalEnds,
    time_zone: z.string().meta({ description: 'Time zone of the times of day' }),
    scale: LevelScale,
    offset_db: level(
      'What is added to a level to compare it with a limit, dB: reference_db of the scale, or calibration_offset_db (service.info) where its unit is dBFS. Null where the microphone is not calibrated, or the levels of the interval do not compare',
    ),
    limits: z.array(LimitFigures).meta({ description: 'Each limit, the earliest of the day first' }),
    parts: z.array(LimitPart).meta({
      description: 'Each stretch in which a limit applies, oldest first. Hours without a limit are in none',
    }),
  })
  .meta({
    id: 'AgainstLimits',
    description: 'How levels compare with limits by time of day',
    examples: [
      {
        from: '2026-01-01T05:00:00.000000Z',
        to: '2026-01-01T21:00:00.000000Z',
        time_zone: 'Europe/Vienna',
        scale: EXAMPLE_SCALE,
        offset_db: 95,
        limits: [
          {
            start: '06:00',
            end: '22:00',
            limit_db: 55,
            ...example,
            part_count: 1,
            parts_over: 0,
            parts_undecided: 0,
          },
        ],
        parts: [
          {
            from: '2026-01-01T05:00:00.000000Z',
            to: '2026-01-01T21:00:00.000000Z',
            limit_db: 55,
            ...example,
            measured_percent: 99.8,
            state: 'under',
          },
        ],
      },
    ],
  });
