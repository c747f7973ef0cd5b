// stats.limits: what goes in, what comes out.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from './exclusions.ts';
import { INSTANT_OR_DATE_ALLOWED } from './instant.ts';
import { Instant, intervalEnds } from './instant-schema.ts';
import { ASSESSED, Assess } from './judgement.ts';
import { LIMITS_ALLOWED, Limit } from './limits.ts';
import { FromOrDate, meaningsOf, nameIn, optionalTimeZone, parameters, ToOrDate } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from './periods.ts';
import { leqLow, level, overload } from './statistics.ts';

/** The longest interval, in days of 24 hours. */
export const MAX_LIMIT_DAYS = 100;

/** An hour or a quarter of an hour whose coverage is below this, in percent, is not assessed. */
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
        'Limits by time of day that do not overlap, in dB on the calibrated scale, a penalty in dB after a colon. Those of the service (service.info) if it is not given',
      examples: ['06-22=55,22-06=45'],
    })
    .optional(),
  time_zone: optionalTimeZone(
    'IANA time zone in whose day the limits apply: that of the service (service.info) where it is not given',
  ),
  assess: Assess.meta({
    description: `What of each part is compared with its limit: ${meaningsOf(ASSESSED)}. That of the service (service.info) if it is not given`,
    examples: ['part'],
  }).optional(),
  events: nameIn({ false: 'event_count is null', true: 'they are counted' })
    .default('false')
    .meta({
      description:
        'Whether noise events are counted, for event_count: they are searched for among the points',
      examples: ['true'],
    }),
  exclusions: Exclusions,
});

const count = (description: string) => z.int().min(0).meta({ description });
const countIfComparable = (description: string) => z.int().min(0).nullable().meta({ description });

const figures = {
  point_count: count('Points, with a level or without'),
  leq_db: level('Equivalent continuous level, dB'),
  leq_low_db: leqLow,
  excess_db: level(
    'leq_db + offset_db - limit_db, dB: above 0 if the limit is exceeded; null if one of them is',
  ),
  minute_count: count(
    'Minutes with a level, of the whole minutes (UTC) that lie in the interval and are over, and that no exclusion touches',
  ),
  minutes_over: countIfComparable(
    'Of these minutes, those whose equivalent continuous level plus offset_db is above the limit, by more than the 0.00001 dB of rounding, even if levels at the floor count as nothing; null if offset_db is. A minute belongs to the part in which it begins',
  ),
  minutes_undecided: countIfComparable(
    'Those that are above it only if levels at the floor count as stored; null if offset_db is',
  ),
  event_count: countIfComparable(
    'Noise events that start while the limit applies: those of events.list with the threshold limit_db - offset_db and the defaults for the rest. Null without events=true, if offset_db is null, if that threshold is outside the stored -50 to 0 dB, or if too many points are above it to count',
  ),
  ...overload,
};

const { limit_db, penalty_db } = Limit.shape;

const measuredPercent = (what: string, by: string) =>
  z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({
      description: `How much of ${what} was measured, up to now: coverage_percent of stats.quality with its default, ${by}; what is excluded counts as a gap, and its ends count as points. Null if that lies ahead`,
    });

const assessed = {
  assessed_db: level(
    'The level that is compared with the limit, dB on the scale of the limit: Leq of the assessed stretch + offset_db + penalty_db. Null if nothing calibrates the levels, with energy_unavailable, or if no stretch can be assessed',
  ),
  assessed_from: Instant.nullable().meta({
    description:
      'Start of the stretch that it is of: the part, or its loudest full clock hour or quarter of an hour, the first of equals; null if assessed_db is',
  }),
};

const state = z.enum(['over', 'under', 'undecided']).nullable();

/** What decides the state of a part. */
const RULE =
  '`over`: assessed_db is above limit_db by more than uncertainty_db, even if levels at the floor count as nothing; `under`: it is below by more. Without an uncertainty the difference is rounded to 0.1 dB first, and is `under` if it is 0. `undecided`: neither, or less than min_measured_percent was measured';

export const LimitFigures = z
  .object({
    ...Limit.shape,
    ...figures,
    ...assessed,
    measured_percent: measuredPercent('its parts', 'each by the spacing at its end'),
    state: state.meta({
      description:
        '`over` if a part is over, else `undecided` if one is undecided, else `under`; null if no part can be compared',
    }),
    part_count: count('Parts of days in which it applies'),
    parts_over: countIfComparable('Parts whose state is over; null if offset_db is'),
    parts_undecided: countIfComparable('Parts whose state is undecided; null if offset_db is'),
  })
  .meta({ id: 'LimitFigures', description: 'A limit, and the levels while it applies' });
export type LimitFigures = z.infer<typeof LimitFigures>;

export const LimitPart = z
  .object({
    from: Instant.meta({ description: 'Start, inclusive' }),
    to: Instant.meta({ description: 'End, exclusive' }),
    limit_db,
    penalty_db,
    ...figures,
    ...assessed,
    measured_percent: measuredPercent('the part', 'by the spacing at its end'),
    state: state.meta({
      description: `How the part compares with its limit. ${RULE}. Null if nothing calibrates the levels, with energy_unavailable, or if the part lies ahead`,
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
  overload_percent: 0,
};

const assessedExample = { assessed_db: 52.9, assessed_from: '2026-01-01T05:00:00.000000Z' };

export const AgainstLimitsOutput = z
  .object({
    ...intervalEnds,
    excluded_seconds,
    time_zone: z.string().meta({ description: 'Time zone of the times of day' }),
    scale: LevelScale,
    offset_db: level(
      'What is added to a level of this answer to compare it with a limit, dB: reference_db of the scale, or calibration_offset_db (service.info) if its unit is dBFS. Null if the microphone is not calibrated, or the levels of the interval do not compare',
    ),
    assess: Assess.meta({ description: `What of each part is compared: ${meaningsOf(ASSESSED)}` }),
    uncertainty_db: z.number().min(0).meta({
      description: 'The expanded uncertainty of levels (ISO 1996-2) that is set of the station, dB',
    }),
    min_measured_percent: z
      .number()
      .min(0)
      .max(100)
      .meta({
        description: `How much of a part must be measured to decide it, as is set of the station. An hour or a quarter of an hour that is assessed needs ${LEAST_MEASURED} %`,
      }),
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
        excluded_seconds: 0,
        time_zone: 'Europe/Vienna',
        scale: EXAMPLE_SCALE,
        offset_db: 95,
        assess: 'part',
        uncertainty_db: 0,
        min_measured_percent: 90,
        limits: [
          {
            start: '06:00',
            end: '22:00',
            limit_db: 55,
            penalty_db: 0,
            ...example,
            ...assessedExample,
            measured_percent: 99.8,
            state: 'under',
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
            penalty_db: 0,
            ...example,
            ...assessedExample,
            measured_percent: 99.8,
            state: 'under',
          },
        ],
      },
    ],
  });
