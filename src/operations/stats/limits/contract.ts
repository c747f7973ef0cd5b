// stats.limits: input and output.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from '../../../contract/exclusions.ts';
import { bool, count, figure, instant, instantOrNull, share, text } from '../../../contract/fields.ts';
import { historyFields } from '../../../contract/history.ts';
import { INSTANT_OR_DATE_ALLOWED } from '../../../contract/instant.ts';
import { ASSESSED, Assess, LIMITS_ALLOWED, Limit } from '../../../contract/limits.ts';
import {
  fromToWithoutZone,
  intervalEnds,
  meaningsOf,
  nameIn,
  optionalTimeZone,
  parameters,
} from '../../../contract/parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from '../../../contract/periods.ts';
import { leqLow, MAX_GAP_DAYS, overloadFields } from '../../../contract/statistics.ts';
import { reasonOrNull, State, VERDICT_RULE } from '../../../contract/verdicts.ts';
import { countedEvents, eventCount, shownCounted } from '../../events/list/contract.ts';

export const MAX_LIMIT_DAYS = 3660;

const PARTS = { include: 'every part', omit: '`parts` is empty, and `limits` sums up all parts' } as const;

export const AgainstLimitsInput = parameters({
  from: fromToWithoutZone.from.meta({
    description: `Start of the interval, inclusive, at most ${MAX_LIMIT_DAYS} days before \`to\`: ${INSTANT_OR_DATE_ALLOWED}`,
    examples: ['now-16h'],
  }),
  to: fromToWithoutZone.to,
  levels: levelsInput,
  limits: z
    .string(LIMITS_ALLOWED)
    .max(1000, LIMITS_ALLOWED)
    .meta({
      description:
        'Limits by time of day, without overlaps, in dB on the calibrated scale: `HH[:MM]-HH[:MM]=level[A|C|Z](:option)*`. The weighting is A by default. Options: a penalty in dB, `max` with a limit of Fast maxima, such as `max60`, and `part`, `hour` or `15m`, the stretch to assess. Default: the limits in service.info',
      examples: ['06-22=55,22-06=45'],
    })
    .optional(),
  time_zone: optionalTimeZone(
    'IANA time zone of the times of day in `limits`. Default: the time zone in service.info',
  ),
  assess: Assess.meta({
    description: `The stretch of each part to compare with the limit. ${meaningsOf(ASSESSED)}. Limits with a stretch of their own keep it. Default: the setting in service.info`,
    examples: ['part'],
  }).optional(),
  parts: nameIn(PARTS)
    .default('include')
    .meta({ description: `Which parts to list. ${meaningsOf(PARTS)}`, examples: ['omit'] }),
  ...countedEvents,
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
  minute_count: countOrNull(
    `Whole minutes (UTC) of the interval that have ended, have a level and overlap no exclusion. A minute belongs to the part in which it begins. Null, as are minutes_over, minutes_undecided, max_over_count and first_over_range, if the interval is longer than ${MAX_GAP_DAYS} days`,
  ),
  minutes_over: countOrNull(
    'How many of these minutes exceed the limit: Leq + offset_db is above limit_db by more than 0.00001 dB, a rounding error. Levels at the floor count as zero energy. Null if offset_db is null',
  ),
  minutes_undecided: countOrNull(
    'How many of these minutes exceed the limit only if levels at the floor count at face value; null if offset_db is null',
  ),
  ...eventCount,
  ...overloadFields,
  assessed_db: figure(
    'The level to compare with limit_db, dB: Leq of the assessed stretch + offset_db + penalty_db. For a limit, that of its highest part among the counted parts in its state. Null if levels cannot be compared (see `reason`), or if no stretch can be assessed',
  ),
  assessed_from: instantOrNull(
    'Start of the assessed stretch (see `assess`), or of the first one if several are equally loud; null if assessed_db is null',
  ),
};

const maxima = {
  max_db: figure(
    'Highest level, dB. Null, as max_over_count and max_state, without max_limit_db, or if the levels are not maxima with time weighting Fast and the weighting of the limit',
  ),
  max_over_count: countOrNull('How many of the minutes in minute_count have a level above max_limit_db'),
  max_state: State.describe(
    'How max_db compares with max_limit_db. It is `over` as soon as one level is; for `under`, the rules of `state` hold',
  ),
};

const MEASURED = `Gaps are those of stats.quality, with the default min_gap_seconds for the spacing at the end of a part. Excluded time, time outside the interval and points without a level are not measured. In intervals longer than ${MAX_GAP_DAYS} days, the share of minutes (UTC) with a point; if points are further apart, each counts as that many minutes`;

export const LimitFigures = z
  .object({
    ...Limit.shape,
    ...figures,
    ...maxima,
    measured_percent: share(
      `How much of the counted parts was measured, percent. ${MEASURED}. Null if no part counts`,
    ),
    state: State.describe(
      '`over` if any counted part is over, else `undecided` if any is undecided, else `under`; null if no counted part can be compared',
    ),
    reason: reasonOrNull.describe(
      'The reason of the part whose level is assessed_db, or of the last part if none counts; null with `over` and `under`',
    ),
    part_count: count(
      'Number of counted parts in which the limit applies: those that have ended and that the interval does not cut',
    ),
    parts_over: countOrNull('Counted parts with the state `over`; null if levels cannot be compared'),
    parts_undecided: countOrNull(
      'Counted parts with the state `undecided`; null if levels cannot be compared',
    ),
  })
  .meta({ id: 'LimitFigures', description: 'A limit, and the levels while it applies' });
export type LimitFigures = z.infer<typeof LimitFigures>;

const { start: _start, end: _end, ...ofLimit } = Limit.shape;

export const LimitPart = z
  .object({
    from: instant('Start, inclusive, even if it lies before the interval'),
    to: instant('End, exclusive, even if it lies after the interval'),
    is_cut: bool('Whether the interval cuts the part. Then its figures are those within the interval'),
    is_running: bool('Whether the part has not ended'),
    ...ofLimit,
    assess: Assess.meta({ description: `The stretch that was compared: ${meaningsOf(ASSESSED)}` }),
    ...figures,
    ...maxima,
    over_range: count('Levels at the ceiling: the true ones may have been higher'),
    first_over_range: instantOrNull(
      'Start of the first whole minute with a level at the ceiling or an overloaded window; null without one',
    ),
    measured_percent: share(
      `How much of the part was measured up to now, percent. ${MEASURED}. Null if the part is in the future`,
    ),
    lacking_count: countOrNull(
      'Assessed hours or quarters of which less than min_measured_percent was measured, without excluded time. One that lacks prevents `under`; but of quarters, two by day and one by night may lack, if what was measured of them is below the limit. Null if the whole part is assessed',
    ),
    state: State.meta({ description: `How the part compares with its limit. ${VERDICT_RULE}` }),
    reason: reasonOrNull,
    used_percent: figure(
      'How much of the energy that its limit allows the part has used, with the penalty: 100·10^((assessed_db - limit_db) / 10), percent. If the part has not ended, or if the interval cuts it, times its share so far: gaps count as the mean. For hours and quarters, that of the loudest. Null if `state` is null',
    ),
    average_left_db: figure(
      'The level that the rest of a running part (or of its running hour or quarter) may have on average without exceeding the limit, on the scale of limit_db, without the penalty, dB. Null if the part does not run, if nothing is left, or if `state` is null',
    ),
    passed_at: instantOrNull(
      'When a running part (or its running hour or quarter) will exceed its limit if the level of the last ten minutes goes on. Null if not before the end, without a level in these minutes, or if `state` is null',
    ),
  })
  .meta({
    id: 'LimitPart',
    description:
      'A stretch in which a limit applies. A stretch that crosses midnight is one part. Its start and end follow local clocks, even on days when clocks change',
  });
export type LimitPart = z.infer<typeof LimitPart>;

const example = {
  limit_db: 55,
  weighting: 'A' as const,
  penalty_db: 0,
  max_limit_db: null,
  point_count: 576000,
  leq_db: -42.1,
  leq_low_db: -42.12,
  excess_db: -2.1,
  minute_count: 960,
  minutes_over: 41,
  minutes_undecided: 0,
  event_count: 73,
  event_count_reason: null,
  overload_percent: 0,
  assessed_db: 52.9,
  assessed_from: '2026-01-01T05:00:00.000000Z',
  max_db: null,
  max_over_count: null,
  max_state: null,
  measured_percent: 99.8,
  state: 'under' as const,
  reason: null,
};

export const AgainstLimitsOutput = z
  .object({
    ...intervalEnds,
    excluded_seconds,
    ...historyFields,
    time_zone: text('Time zone of the limits'),
    scale: LevelScale,
    offset_db: figure(
      'Add this to a level of this answer to compare it with a limit, dB. It is reference_db of `scale`, or calibration_offset_db (service.info) if the unit is dBFS. Null if the microphone is not calibrated, or if levels in the interval have different scales',
    ),
    assess: Assess.meta({
      description: `The stretch of each part that limits compare by default. ${meaningsOf(ASSESSED)}`,
    }),
    uncertainty_db: z.number().min(0).nullable().meta({
      description:
        "The expanded uncertainty of the station's levels (ISO 1996-2), dB; null if it is not stated",
    }),
    min_measured_percent: z.number().min(0).max(100).meta({
      description:
        'How much of a part, or of each assessed hour or quarter, must be measured to decide its state, percent: a setting of the station',
    }),
    ...shownCounted,
    limits: z.array(LimitFigures).meta({ description: 'Every limit, earliest in the day first' }),
    parts: z.array(LimitPart).meta({
      description:
        'Every stretch in which a limit applies and which the interval touches, oldest first. Hours without a limit belong to no part',
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
        uncertainty_db: null,
        min_measured_percent: 90,
        event_threshold_db: null,
        event_above_background: 10,
        limits: [
          {
            start: '06:00',
            end: '22:00',
            ...example,
            assess: null,
            part_count: 1,
            parts_over: 0,
            parts_undecided: 0,
          },
        ],
        parts: [
          {
            from: '2026-01-01T05:00:00.000000Z',
            to: '2026-01-01T21:00:00.000000Z',
            is_cut: false,
            is_running: false,
            ...example,
            assess: 'part',
            over_range: 0,
            first_over_range: null,
            lacking_count: null,
            used_percent: 61.7,
            average_left_db: null,
            passed_at: null,
          },
        ],
      },
    ],
  });
