// stats.quality: input and output.
import { z } from 'zod';
import { ListedExclusion, MOST_LISTED } from '../../../contract/exclusions.ts';
import { count, figure, instant, instantOrNull, number, share } from '../../../contract/fields.ts';
import { historyFields } from '../../../contract/history.ts';
import { fromTo, intervalEnds, numberFrom, parameters } from '../../../contract/parameters.ts';
import { PeriodSettings } from '../../../contract/periods.ts';
import { aheadCount, MOST_AHEAD } from '../../../contract/station.ts';
import { overloadFields } from '../../../contract/statistics.ts';

export const MAX_GAPS = 1000;

/** The longest `min_gap_seconds`: a year. */
const MAX_MIN_GAP_SECONDS = 31_536_000;

export const QualityInput = parameters({
  ...fromTo,
  min_gap_seconds: numberFrom(0.001, MAX_MIN_GAP_SECONDS, 'seconds')
    .meta({
      description:
        'The shortest time without a point that counts as a gap, seconds. Default: the larger of 10 and five times spacing_seconds',
      examples: [60],
    })
    .optional(),
});

export const Gap = z
  .object({
    from: instant('The point before the gap, or the start of the interval'),
    to: instant('The point after the gap, or the end of the interval, or now'),
    seconds: number('Length of the gap, seconds'),
  })
  .meta({ id: 'Gap' });
export type Gap = z.infer<typeof Gap>;

export const QualityOutput = z
  .object({
    ...intervalEnds,
    point_count: count('Points in the interval'),
    repeated_count: count(
      'Points whose time another point has: the count of the points minus the count of their times. If it is not 0, files may have been imported twice, or several series mixed. Every statistic counts such points. Only points that are still stored are compared (history_until)',
    ),
    spacing_seconds: figure(
      'The time between points, seconds: `interval_ms` of the recording period at the end. If it is unknown, the median gap between neighbouring times among the last 1,001 points before the end, ignoring duplicates; null with fewer than two times',
    ),
    min_gap_seconds: number('The shortest time without a point that counted as a gap, seconds'),
    coverage_percent: share(
      'Share of the interval up to now that is outside gaps, percent; null if the interval begins in the future',
    ),
    gap_count: count('The number of gaps, including gaps that are not listed'),
    gap_seconds: z.number().min(0).meta({ description: 'Total length of all gaps, seconds' }),
    gaps: z.array(Gap).meta({ description: `The ${MAX_GAPS} longest gaps, oldest first` }),
    exclusion_count: count(
      'The number of exclusions that overlap the interval, including exclusions that are not listed',
    ),
    exclusions: z.array(ListedExclusion).meta({
      description: `The newest ${MOST_LISTED} exclusions (\`npm run exclude\`) that overlap the interval, oldest first. Other statistics leave these stretches out, but the figures of this answer include all points`,
    }),
    null_level_percent: share('Share of the points that have no level, percent; null without points'),
    at_floor_percent: share(
      'Share of the levels at the lowest level that can be stored (-50 dB when rounded to 0.1 dB), percent. If it is large, L90 and the minimum mean little. Null without levels',
    ),
    at_ceiling_percent: share(
      'Share of the levels at the highest level that can be stored (0 dB when rounded to 0.1 dB), percent. If it is not 0, Leq and the maximum may be too low. Null without levels',
    ),
    ...historyFields,
    ...overloadFields,
    clock: PeriodSettings.shape.clock.describe(
      'The source of times (`clock` of a period); null without points, or if periods with points in the interval differ',
    ),
    silence_percent: share('Share of the points that are silent, percent; null without points'),
    future_count: z
      .int()
      .min(0)
      .max(MOST_AHEAD)
      .describe(`Points in the table that are dated now or later, counted up to ${MOST_AHEAD}`),
    ahead_count: aheadCount('Points of the interval'),
    newest: instantOrNull(
      'Time of the newest point in the table that is not dated in the future; null if there is none',
    ),
    newest_age_seconds: z.number().min(0).nullable().meta({ description: 'Age of that point, seconds' }),
  })
  .meta({
    id: 'Quality',
    description: 'When the microphone recorded, and any gaps, out-of-range levels and overload',
    examples: [
      {
        from: '2026-01-01T00:00:00.000000Z',
        to: '2026-01-02T00:00:00.000000Z',
        point_count: 863000,
        repeated_count: 0,
        spacing_seconds: 0.1,
        min_gap_seconds: 10,
        coverage_percent: 99.88414351851851,
        gap_count: 1,
        gap_seconds: 100.1,
        gaps: [{ from: '2026-01-01T11:00:00.000000Z', to: '2026-01-01T11:01:40.100000Z', seconds: 100.1 }],
        exclusion_count: 0,
        exclusions: [],
        null_level_percent: 0,
        at_floor_percent: 12.5,
        at_ceiling_percent: 0,
        overload_percent: 0,
        clock: 'machine',
        silence_percent: 35.1,
        future_count: 0,
        ahead_count: 0,
        newest: '2026-01-01T23:59:59.900000Z',
        newest_age_seconds: 0.4,
      },
    ],
  });
export type QualityOutput = z.infer<typeof QualityOutput>;
