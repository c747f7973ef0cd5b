// stats.days: what goes in, what comes out.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from './exclusions.ts';
import { Instant, intervalEnds } from './instant-schema.ts';
import { THRESHOLD_RANGE, threshold } from './noise-events.ts';
import {
  FromOrDate,
  meaningsOf,
  nameIn,
  numberFrom,
  parameters,
  ToOrDate,
  timeZone,
  wholeNumber,
} from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from './periods.ts';
import { leqLow, level, outOfRange, overload } from './statistics.ts';

/** The most days that an answer may have. */
export const MAX_DAYS = 3660;

const hour = (preset: number, part: string, max = 23, more = '') =>
  wholeNumber({
    min: 0,
    max,
    default: preset,
    description: `Hour of the zone at which the ${part} begins${more}`,
  });

/** What the directive adds to the evening and to the night, dB. */
export const [EVENING_PENALTY_DB, NIGHT_PENALTY_DB] = [5, 10];

const penalty = (preset: number, part: string) =>
  numberFrom(0, 20, 'dB')
    .default(preset)
    .meta({ description: `What is added to the level of the ${part} for rated_db, dB`, examples: [preset] });

const EVENING = {
  on: 'a day has a day, an evening and a night',
  off: 'it has a day, up to night_start, and a night',
} as const;

export const DaysInput = parameters({
  from: FromOrDate,
  to: ToOrDate,
  levels: levelsInput,
  time_zone: timeZone('IANA time zone whose days these are'),
  day_start: hour(7, 'day'),
  evening_start: hour(19, 'evening'),
  night_start: hour(23, 'night', 24, '; 0 and 24 are midnight'),
  evening: nameIn(EVENING)
    .default('on')
    .meta({ description: `Whether there is an evening: ${meaningsOf(EVENING)}`, examples: ['on'] }),
  evening_penalty_db: penalty(EVENING_PENALTY_DB, 'evening'),
  night_penalty_db: penalty(NIGHT_PENALTY_DB, 'night'),
  event_threshold_db: threshold(
    `Counts noise events above this level for event_count, dB, ${THRESHOLD_RANGE}: they are searched for among the points`,
  ).optional(),
  exclusions: Exclusions,
});

/** Of a whole day at least so much of each part is measured. */
export const WHOLE_DAY_PERCENT = 90;

const measured = (part: string) =>
  z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .meta({
      description: `How much of the ${part} was measured: the share of its minutes that hold a point, percent. Its minutes are the whole minutes (UTC) that begin in it, lie in the interval and are over. So if a point comes at least twice a minute, all is measured; a gap counts by the minutes that it leaves empty. A minute that an exclusion touches is not measured. Null if there is no such minute`,
    });

const indicators = {
  point_count: z.int().min(0).meta({ description: 'Points, with a level or without' }),
  leq_db: level('Equivalent continuous level, dB'),
  leq_low_db: leqLow,
  lday_db: level('Equivalent continuous level of the day, dB'),
  levening_db: level('Equivalent continuous level of the evening, dB'),
  lnight_db: level('Equivalent continuous level of the night, dB'),
  lden_db: level(
    'Day-evening-night level by the formula of Directive 2002/49/EC, Annex I: the mean energy of day, evening + 5 dB and night + 10 dB, weighted by their nominal hours, dB; null if one of the three has no level, and with other parts or penalties than these',
  ),
  rated_db: level(
    'The same with the parts and penalties that were chosen, on the scale of limits, dB: Ldn without an evening, CNEL with an evening penalty of 4.77. Null if nothing calibrates the levels, with energy_unavailable, or if a part has no level',
  ),
  event_count: z.int().min(0).nullable().meta({
    description:
      'Noise events that start in it: those of events.list with the threshold event_threshold_db and the defaults for the rest. Null without event_threshold_db, or if too many points are above it to count',
  }),
  day_count: z.int().min(0).meta({ description: 'Points in the day' }),
  evening_count: z.int().min(0).meta({ description: 'Points in the evening' }),
  night_count: z.int().min(0).meta({ description: 'Points in the night' }),
  day_measured_percent: measured('day'),
  evening_measured_percent: measured('evening'),
  night_measured_percent: measured('night'),
  ...outOfRange,
  ...overload,
};

export const Day = z
  .object({
    date: z.iso.date().meta({ description: 'The date in the zone on which it begins' }),
    from: Instant.meta({ description: 'Start, inclusive' }),
    to: Instant.meta({
      description:
        'End, exclusive: the start of the next one, some hour more or less than 24 later where clocks change',
    }),
    ...indicators,
  })
  .meta({ id: 'Day', description: 'A day, its evening and the whole night after it' });
export type Day = z.infer<typeof Day>;

export const Overall = z.object(indicators).meta({
  id: 'Overall',
  description: 'The same of all points of the interval',
});
export type Overall = z.infer<typeof Overall>;

export const WholeDays = z
  .object({
    days: z.int().min(0).meta({ description: 'How many days are whole' }),
    ...indicators,
  })
  .meta({
    id: 'WholeDays',
    description: `The same of the points of whole days alone: those that lie wholly in the interval, are over, and have at least ${WHOLE_DAY_PERCENT} % measured of the day, of the evening and of the night`,
  });
export type WholeDays = z.infer<typeof WholeDays>;

const example = {
  point_count: 864000,
  leq_db: -31.98,
  leq_low_db: -32.01,
  lday_db: -30.4,
  levening_db: -31.9,
  lnight_db: -36.8,
  lden_db: -28.26,
  rated_db: 66.74,
  event_count: null,
  day_count: 432000,
  evening_count: 144000,
  night_count: 288000,
  day_measured_percent: 100,
  evening_measured_percent: 100,
  night_measured_percent: 100,
  under_range: 432000,
  over_range: 0,
  overload_percent: 0,
};

export const DaysOutput = z
  .object({
    ...intervalEnds,
    excluded_seconds,
    time_zone: z.string().meta({ description: 'Time zone of the days' }),
    day_start: z.int().meta({ description: 'Hour at which the day begins' }),
    evening_start: z.int().meta({ description: 'Hour at which the evening begins' }),
    night_start: z.int().meta({ description: 'Hour at which the night begins' }),
    evening: nameIn(EVENING).meta({ description: 'Whether there is an evening' }),
    evening_penalty_db: z.number().meta({ description: 'What rated_db adds to the evening, dB' }),
    night_penalty_db: z.number().meta({ description: 'What rated_db adds to the night, dB' }),
    event_threshold_db: level('The level above which events are counted, dB; null if they are not'),
    offset_db: level(
      'What is added to a level of this answer for one on the scale of limits, dB: reference_db of the scale, or calibration_offset_db (service.info) if its unit is dBFS. Null if the microphone is not calibrated, or the levels of the interval do not compare',
    ),
    days: z.array(Day).meta({
      description:
        'Every day that the interval touches, oldest first. The first and the last may reach beyond the interval: only its own points count',
    }),
    overall: Overall,
    whole_days: WholeDays,
    scale: LevelScale,
  })
  .meta({
    id: 'Days',
    description:
      'Noise indicators by local day, by the formulas of Directive 2002/49/EC. Levels are on the scale of `scale`, and A-weighted, as the directive asks, only where the recorder weighed them so; its Lden is an average of a year. The counts and shares say how much of each part was measured',
    examples: [
      {
        from: '2026-01-01T06:00:00.000000Z',
        to: '2026-01-02T06:00:00.000000Z',
        excluded_seconds: 0,
        time_zone: 'Europe/Vienna',
        day_start: 7,
        evening_start: 19,
        night_start: 23,
        evening: 'on',
        evening_penalty_db: 5,
        night_penalty_db: 10,
        event_threshold_db: null,
        offset_db: 95,
        days: [
          {
            date: '2026-01-01',
            from: '2026-01-01T06:00:00.000000Z',
            to: '2026-01-02T06:00:00.000000Z',
            ...example,
          },
        ],
        overall: example,
        whole_days: { days: 1, ...example },
        scale: EXAMPLE_SCALE,
      },
    ],
  });
