// stats.days: input and output.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from '../../../contract/exclusions.ts';
import { count, figure, instant, number, share, text } from '../../../contract/fields.ts';
import { historyFields } from '../../../contract/history.ts';
import {
  fromToWithoutZone,
  intervalEnds,
  meaningsOf,
  nameIn,
  numberFrom,
  parameters,
  timeZoneInput,
  wholeNumber,
} from '../../../contract/parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from '../../../contract/periods.ts';
import { leqLow, MAX_GAP_DAYS, outOfRange, overloadFields } from '../../../contract/statistics.ts';
import { countedEvents, eventCount, shownCounted } from '../../events/list/contract.ts';

export const MAX_DAYS = 3660;

const hour = (preset: number, part: string, max = 23, more = '') =>
  wholeNumber({
    min: 0,
    max,
    default: preset,
    description: `Hour at which the ${part} begins in time_zone${more}`,
  });

/** The penalties of Directive 2002/49/EC for evening and night, dB. */
export const [EVENING_PENALTY_DB, NIGHT_PENALTY_DB] = [5, 10];

const penalty = (preset: number, part: string) =>
  numberFrom(0, 20, 'dB')
    .default(preset)
    .meta({ description: `Penalty that rated_db adds to the ${part} level, dB`, examples: [preset] });

const EVENING = {
  on: 'each date has a day, an evening and a night',
  off: 'each date has a day until night_start, and a night',
} as const;

const BY = {
  day: 'days with the figures of all their points',
  month: 'months with the mean of their whole days',
  year: 'years with the mean of their whole days',
} as const;
const By = nameIn(BY);

export const DaysInput = parameters({
  ...fromToWithoutZone,
  levels: levelsInput,
  by: By.default('day').meta({
    description: `What an entry of \`days\` is. ${meaningsOf(BY)}. In the energy mean of a month or year, each whole day has the same weight`,
    examples: ['month'],
  }),
  time_zone: timeZoneInput('IANA time zone of the days'),
  day_start: hour(7, 'day'),
  evening_start: hour(19, 'evening'),
  night_start: hour(23, 'night', 24, '; 0 and 24 are midnight'),
  evening: nameIn(EVENING)
    .default('on')
    .meta({ description: `Whether there is an evening. ${meaningsOf(EVENING)}`, examples: ['on'] }),
  evening_penalty_db: penalty(EVENING_PENALTY_DB, 'evening'),
  night_penalty_db: penalty(NIGHT_PENALTY_DB, 'night'),
  ...countedEvents,
  exclusions: Exclusions,
});

/** A day is whole if at least this much of each part was measured. */
export const WHOLE_DAY_PERCENT = 90;

const WHOLE = `A day is whole if it has ended, lies wholly in the interval, and at least ${WHOLE_DAY_PERCENT} % of each part (day, evening and night) was measured`;

const measured = (part: string) =>
  share(
    `Share of the ${part}'s minutes (UTC) that have a point, percent. If points are over 30 s apart at the end of the ${part} (\`interval_ms\` of the period or, if unknown, the spacing), it is the share outside gaps, as in stats.quality (up to ${MAX_GAP_DAYS} days). For a day it counts all minutes of the ${part}, also those ahead or outside the interval; for overall those in the interval that have ended. Month and year: of whole days. Null if there are none. A minute that overlaps an exclusion counts as empty`,
  );

const low = (of: string) =>
  figure(
    `Lower bound of ${of}, dB: levels at the floor count as zero energy, as in leq_low_db. Null if ${of} is null, or if no level is above the floor`,
  );

const indicators = {
  point_count: count('Points, with or without a level'),
  leq_db: figure('Equivalent continuous level, dB'),
  leq_low_db: leqLow,
  lday_db: figure('Equivalent continuous level of the day, dB'),
  levening_db: figure('Equivalent continuous level of the evening, dB'),
  lnight_db: figure('Equivalent continuous level of the night, dB'),
  lden_db: figure(
    'Day-evening-night level by the formula of Directive 2002/49/EC, Annex I, dB: the energy mean of day, evening + 5 dB and night + 10 dB, weighted by their nominal hours. Null if day, evening or night has no level, with evening=off, or with other penalties',
  ),
  rated_db: figure(
    'Level by the formula of lden_db with the requested parts and penalties, on the scale of limits, dB. It is Ldn with evening=off, and CNEL with evening_penalty_db=4.77. Null if the levels are not calibrated, if energy_unavailable is true, or if a part has no level',
  ),
  ...eventCount,
  lday_low_db: low('lday_db'),
  levening_low_db: low('levening_db'),
  lnight_low_db: low('lnight_db'),
  lden_low_db: low('lden_db'),
  rated_low_db: low('rated_db'),
  day_count: count('Points in the day'),
  evening_count: count('Points in the evening'),
  night_count: count('Points in the night'),
  day_measured_percent: measured('day'),
  evening_measured_percent: measured('evening'),
  night_measured_percent: measured('night'),
  ...outOfRange,
  ...overloadFields,
};

export const Day = z
  .object({
    date: z.iso.date().meta({ description: 'Date on which the day, month or year begins, in time_zone' }),
    from: instant('Start, inclusive'),
    to: instant(
      'End, exclusive: the start of the next one. On days when clocks change, usually 23 or 25 hours after the start',
    ),
    days_whole: count(`How many of its days are whole. ${WHOLE}`),
    days_total: count(
      'How many days it has, also those ahead or outside the interval: 1, or the days of the month or year',
    ),
    ...indicators,
  })
  .meta({
    id: 'Day',
    description:
      'A day, its evening and the whole night after it; or a month or year of such days, with the figures of the whole ones',
  });
export type Day = z.infer<typeof Day>;

export const Overall = z.object(indicators).meta({
  id: 'Overall',
  description: 'The indicators of all points in the interval',
});
export type Overall = z.infer<typeof Overall>;

export const WholeDays = z.object({ days: count('The number of whole days'), ...indicators }).meta({
  id: 'WholeDays',
  description: `The indicators of whole days only, of all their points. ${WHOLE}`,
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
  event_count_reason: 'not_requested' as const,
  lday_low_db: -30.42,
  levening_low_db: -31.9,
  lnight_low_db: -36.96,
  lden_low_db: -28.34,
  rated_low_db: 66.66,
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
    ...historyFields,
    by: By.meta({ description: 'What an entry of `days` is' }),
    time_zone: text('Time zone of the days'),
    day_start: z.int().meta({ description: 'Hour at which the day begins' }),
    evening_start: z.int().meta({ description: 'Hour at which the evening begins' }),
    night_start: z.int().meta({ description: 'Hour at which the night begins' }),
    evening: nameIn(EVENING).meta({ description: 'Whether there is an evening' }),
    evening_penalty_db: number('Penalty that rated_db adds to the evening level, dB'),
    night_penalty_db: number('Penalty that rated_db adds to the night level, dB'),
    ...shownCounted,
    offset_db: figure(
      'Add this to a level of this answer to get a level on the scale of limits, dB. It is reference_db of `scale`, or calibration_offset_db (service.info) if the unit is dBFS. Null if the microphone is not calibrated, or if levels in the interval have different scales',
    ),
    days: z.array(Day).meta({
      description:
        'Every day, month or year (`by`) that overlaps the interval, oldest first. The first and the last may extend beyond the interval, but cover only points in it',
    }),
    overall: Overall,
    whole_days: WholeDays,
    scale: LevelScale,
  })
  .meta({
    id: 'Days',
    description:
      'Noise indicators by local day, by the formulas of Directive 2002/49/EC. Levels are on the scale in `scale`. They are A-weighted, as the directive requires, only if the recorder applied A-weighting. The Lden of the directive is a yearly average. Counts and shares show how much of each part was measured',
    examples: [
      {
        from: '2026-01-01T06:00:00.000000Z',
        to: '2026-01-02T06:00:00.000000Z',
        excluded_seconds: 0,
        by: 'day',
        time_zone: 'Europe/Vienna',
        day_start: 7,
        evening_start: 19,
        night_start: 23,
        evening: 'on',
        evening_penalty_db: 5,
        night_penalty_db: 10,
        event_threshold_db: null,
        event_above_background: null,
        offset_db: 95,
        days: [
          {
            date: '2026-01-01',
            from: '2026-01-01T06:00:00.000000Z',
            to: '2026-01-02T06:00:00.000000Z',
            days_whole: 1,
            days_total: 1,
            ...example,
          },
        ],
        overall: example,
        whole_days: { days: 1, ...example },
        scale: EXAMPLE_SCALE,
      },
    ],
  });
