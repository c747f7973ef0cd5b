// stats.days: what goes in, what comes out.
import { z } from 'zod';
import { Instant, intervalEnds } from './instant-schema.ts';
import { FromOrDate, parameters, ToOrDate, timeZone, wholeNumber } from './parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from './periods.ts';
import { leqLow, level, outOfRange } from './statistics.ts';

/** The most days that an answer may have. */
export const MAX_DAYS = 3660;

const hour = (preset: number, what: string) =>
  wholeNumber({ min: 0, max: 23, default: preset, description: `Hour of the zone at which ${what} begins` });

export const DaysInput = parameters({
  from: FromOrDate,
  to: ToOrDate,
  levels: levelsInput,
  time_zone: timeZone('IANA time zone whose days these are'),
  day_start: hour(7, 'the day'),
  evening_start: hour(19, 'the evening'),
  night_start: hour(23, 'the night'),
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
      description: `How much of the ${part} was measured: the share of its minutes that hold a point, percent. Its minutes are the whole minutes (UTC) that begin in it, lie in the interval and are over. So where a point comes at least twice a minute all is measured, and a gap counts by the minutes that it leaves empty. Null where there is no such minute`,
    });

const indicators = {
  point_count: z.int().min(0).meta({ description: 'Points, with a level or without' }),
  leq_db: level('Equivalent continuous level, dB'),
  leq_low_db: leqLow,
  lday_db: level('Equivalent continuous level of the day, dB'),
  levening_db: level('Equivalent continuous level of the evening, dB'),
  lnight_db: level('Equivalent continuous level of the night, dB'),
  lden_db: level(
    'Day-evening-night level by the formula of Directive 2002/49/EC, Annex I: the mean energy of day, evening + 5 dB and night + 10 dB, weighted by their nominal hours, dB; null where one of the three has no level',
  ),
  day_count: z.int().min(0).meta({ description: 'Points in the day' }),
  evening_count: z.int().min(0).meta({ description: 'Points in the evening' }),
  night_count: z.int().min(0).meta({ description: 'Points in the night' }),
  day_measured_percent: measured('day'),
  evening_measured_percent: measured('evening'),
  night_measured_percent: measured('night'),
  ...outOfRange,
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
  day_count: 432000,
  evening_count: 144000,
  night_count: 288000,
  day_measured_percent: 100,
  evening_measured_percent: 100,
  night_measured_percent: 100,
  under_range: 432000,
  clipped: 0,
};

export const DaysOutput = z
  .object({
    ...intervalEnds,
    time_zone: z.string().meta({ description: 'Time zone of the days' }),
    day_start: z.int().meta({ description: 'Hour at which the day begins' }),
    evening_start: z.int().meta({ description: 'Hour at which the evening begins' }),
    night_start: z.int().meta({ description: 'Hour at which the night begins' }),
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
        time_zone: 'Europe/Vienna',
        day_start: 7,
        evening_start: 19,
        night_start: 23,
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
