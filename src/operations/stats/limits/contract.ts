// stats.limits: input and output.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from '../../../contract/exclusions.ts';
import { count, figure, instant, instantOrNull, share, text } from '../../../contract/fields.ts';
import { INSTANT_OR_DATE_ALLOWED } from '../../../contract/instant.ts';
import { ASSESSED, Assess, LIMITS_ALLOWED, Limit } from '../../../contract/limits.ts';
import {
  fromToOrDate,
  intervalEnds,
  meaningsOf,
  nameIn,
  optionalTimeZone,
  parameters,
} from '../../../contract/parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from '../../../contract/periods.ts';
import { leqLow, overloadFields } from '../../../contract/statistics.ts';

/** The longest interval, in days of 24 hours. */
export const MAX_LIMIT_DAYS = 100;

/** How much of an hour or quarter of an hour must be measured to assess it, percent. */
export const LEAST_MEASURED = 90;

export const AgainstLimitsInput = parameters({
  from: fromToOrDate.from.meta({
    description: `Start of the interval, inclusive, at most ${MAX_LIMIT_DAYS} days before \`to\`: ${INSTANT_OR_DATE_ALLOWED}. A date means its first instant in time_zone`,
    examples: ['now-16h'],
  }),
  to: fromToOrDate.to,
  levels: levelsInput,
  limits: z
    .string(LIMITS_ALLOWED)
    .max(1000, LIMITS_ALLOWED)
    .meta({
      description:
        'Limits by time of day, without overlaps, in dB on the calibrated scale. A penalty in dB may follow after a colon. Default: the limits in service.info',
      examples: ['06-22=55,22-06=45'],
    })
    .optional(),
  time_zone: optionalTimeZone(
    'IANA time zone of the times of day in `limits`. Default: the time zone in service.info',
  ),
  assess: Assess.meta({
    description: `The stretch of each part to compare with the limit. ${meaningsOf(ASSESSED)}. Default: the setting in service.info`,
    examples: ['part'],
  }).optional(),
  events: nameIn({ false: 'event_count is null', true: 'event_count is their number' })
    .default('false')
    .meta({
      description:
        'Whether to count noise events in event_count. `true` is slower, because it searches the points',
      examples: ['true'],
    }),
  exclusions: Exclusions,
});

const countOrNull = (description: string) => z.int().min(0).nullable().meta({ description });

const figures = {
  point_count: count('Points, with or without a level'),
  leq_db: figure('Equivalent continuous level, dB'),
  leq_low_db: leqLow,
  excess_db: figure(
    'leq_db + offset_db - limit_db, dB: above 0 if the limit is exceeded; null if leq_db or offset_db is null',
  ),
  minute_count: count(
    'Whole minutes (UTC) of the interval that have ended, have a level and overlap no exclusion. A minute belongs to the part in which it begins',
  ),
  minutes_over: countOrNull(
    'How many of these minutes exceed the limit: Leq + offset_db is above limit_db by more than 0.00001 dB, a rounding error. Levels at the floor count as zero energy. Null if offset_db is null',
  ),
  minutes_undecided: countOrNull(
    'How many of these minutes exceed the limit only if levels at the floor count at face value; null if offset_db is null',
  ),
  event_count: countOrNull(
    'Noise events that start while the limit applies, as events.list finds them with the threshold limit_db - offset_db and other parameters at their defaults. Null without events=true, if offset_db is null, if the threshold is not between -50 and 0 dB, or if too many points exceed it',
  ),
  ...overloadFields,
  assessed_db: figure(
    'The level to compare with limit_db, dB: Leq of the assessed stretch + offset_db + penalty_db. Null if the levels are not calibrated, if energy_unavailable is true, or if no stretch can be assessed',
  ),
  assessed_from: instantOrNull(
    'Start of the assessed stretch (see `assess`), or of the first one if several are equally loud; null if assessed_db is null',
  ),
};

const { limit_db, penalty_db } = Limit.shape;

const measuredPercent = (what: string, end: string) =>
  share(
    `How much of ${what} was measured up to now, percent. This is coverage_percent of stats.quality, with the default min_gap_seconds for the spacing at ${end}. Excluded time counts as a gap, and its start and end count as points. Null in the future`,
  );

const state = z.enum(['over', 'under', 'undecided']).nullable();

/** The rule for the state of a part. */
const RULE =
  '`over`: assessed_db is above limit_db by more than uncertainty_db, even if levels at the floor count as zero energy; `under`: assessed_db is below limit_db by more than uncertainty_db; `undecided`: neither, or less than min_measured_percent was measured. If uncertainty_db is 0, the difference is rounded to 0.1 dB first, and a difference of 0 is `under`';

export const LimitFigures = z
  .object({
    ...Limit.shape,
    ...figures,
    measured_percent: measuredPercent('its parts', 'the end of each'),
    state: state.meta({
      description:
        '`over` if any part is over, else `undecided` if any part is undecided, else `under`; null if no part can be compared',
    }),
    part_count: count('Number of `parts` in which the limit applies'),
    parts_over: countOrNull('Parts with the state `over`; null if offset_db is null'),
    parts_undecided: countOrNull('Parts with the state `undecided`; null if offset_db is null'),
  })
  .meta({ id: 'LimitFigures', description: 'A limit, and the levels while it applies' });
export type LimitFigures = z.infer<typeof LimitFigures>;

export const LimitPart = z
  .object({
    from: instant('Start, inclusive'),
    to: instant('End, exclusive'),
    limit_db,
    penalty_db,
    ...figures,
    measured_percent: measuredPercent('the part', 'its end'),
    state: state.meta({
      description: `How the part compares with its limit. ${RULE}. Null if the levels are not calibrated, if energy_unavailable is true, or if the part is in the future`,
    }),
  })
  .meta({
    id: 'LimitPart',
    description:
      'A stretch of the interval in which a limit applies. A stretch that crosses midnight is one part. Its start and end follow local clocks, even on days when clocks change',
  });
export type LimitPart = z.infer<typeof LimitPart>;

const example = {
  limit_db: 55,
  penalty_db: 0,
  point_count: 576000,
  leq_db: -42.1,
  leq_low_db: -42.12,
  excess_db: -2.1,
  minute_count: 960,
  minutes_over: 41,
  minutes_undecided: 0,
  event_count: 73,
  overload_percent: 0,
  assessed_db: 52.9,
  assessed_from: '2026-01-01T05:00:00.000000Z',
  measured_percent: 99.8,
  state: 'under' as const,
};

export const AgainstLimitsOutput = z
  .object({
    ...intervalEnds,
    excluded_seconds,
    time_zone: text('Time zone of the limits'),
    scale: LevelScale,
    offset_db: figure(
      'Add this to a level of this answer to compare it with a limit, dB. It is reference_db of `scale`, or calibration_offset_db (service.info) if the unit is dBFS. Null if the microphone is not calibrated, or if levels in the interval have different scales',
    ),
    assess: Assess.meta({
      description: `The stretch of each part that was compared. ${meaningsOf(ASSESSED)}`,
    }),
    uncertainty_db: z.number().min(0).meta({
      description: "The expanded uncertainty of the station's levels (ISO 1996-2), dB",
    }),
    min_measured_percent: z
      .number()
      .min(0)
      .max(100)
      .meta({
        description: `How much of a part must be measured to decide its state, percent: a setting of the station. An assessed hour or quarter of an hour needs ${LEAST_MEASURED} %`,
      }),
    limits: z.array(LimitFigures).meta({ description: 'Every limit, earliest in the day first' }),
    parts: z.array(LimitPart).meta({
      description:
        'Every stretch in which a limit applies, oldest first. Hours without a limit belong to no part',
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
            ...example,
          },
        ],
      },
    ],
  });
