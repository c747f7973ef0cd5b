// stats.quality: what goes in, what comes out.
import { z } from 'zod';
import { ListedExclusion, MOST_LISTED } from './exclusions.ts';
import { Instant, intervalEnds } from './instant-schema.ts';
import { From, numberFrom, parameters, To } from './parameters.ts';
import { PeriodSettings } from './periods.ts';
import { MAX_SPACINGS, Spacing, SpacingChanges } from './spacings.ts';
import { overload } from './statistics.ts';

/** The most gaps that an answer lists. */
export const MAX_GAPS = 1000;

/** The longest `min_gap_seconds`: a year. */
const MAX_MIN_GAP_SECONDS = 31_536_000;

/** The points dated ahead are counted up to here. */
export const MOST_AHEAD = 1000;

export const QualityInput = parameters({
  from: From,
  to: To,
  min_gap_seconds: numberFrom(0.001, MAX_MIN_GAP_SECONDS, 'seconds')
    .meta({
      description:
        'How long there must be no point for a gap; the larger of 10 and five times spacing_seconds where it is not given',
      examples: [60],
    })
    .optional(),
});

export const Gap = z
  .object({
    from: Instant.meta({ description: 'The point before it, or the start of the interval' }),
    to: Instant.meta({ description: 'The point after it, or the end of the interval, or now' }),
    seconds: z.number().meta({ description: 'Its length' }),
  })
  .meta({ id: 'Gap' });
export type Gap = z.infer<typeof Gap>;

const share = (description: string) => z.number().min(0).max(100).nullable().meta({ description });

export const QualityOutput = z
  .object({
    ...intervalEnds,
    point_count: z.int().min(0).meta({ description: 'Points in the interval' }),
    spacing_seconds: z.number().nullable().meta({
      description:
        'Median distance of neighbouring distinct times among the last 1,001 points before the end; null with fewer than two',
    }),
    spacing_changes: SpacingChanges,
    spacing_count: z.int().min(0).meta({
      description:
        'Stretches of about one spacing, also those that are not listed; 0 with fewer than two times',
    }),
    spacings: z.array(Spacing).meta({
      description: `These stretches, oldest first, each up to the next; the newest ${MAX_SPACINGS}. The interval is judged piece by piece: tenths of ten minutes or less, a minute each in up to 6 hours, and longer ones in more. The spacing of a piece is the median distance of the first 21 neighbouring distinct times from its start on. A stretch begins at a piece whose spacing differs by more than a fifth from the stretch before, if the next piece measured agrees. One piece alone, lost points and gaps are no change`,
    }),
    min_gap_seconds: z.number().meta({ description: 'How long there was no point, for a gap' }),
    coverage_percent: share(
      'Share of the interval, up to now, that lies in no gap; null where it begins later',
    ),
    gap_count: z.int().min(0).meta({ description: 'Gaps, also those that are not listed' }),
    gap_seconds: z.number().min(0).meta({ description: 'Length of all gaps together' }),
    gaps: z.array(Gap).meta({ description: `The ${MAX_GAPS} longest gaps, in the order of time` }),
    exclusion_count: z.int().min(0).meta({
      description: 'Exclusions that touch the interval, also those that are not listed',
    }),
    exclusions: z.array(ListedExclusion).meta({
      description: `What other statistics leave out of the interval (\`npm run exclude\`), and why, oldest first: the newest ${MOST_LISTED} that touch it. The figures here are of all points`,
    }),
    null_level_percent: share('Share of the points that have no level; null without points'),
    at_floor_percent: share(
      'Share of the levels that are -50 dB when rounded to 0.1 dB, the lowest that is stored: L90 and the minimum say little where it is large; null without levels',
    ),
    at_ceiling_percent: share(
      'Share of the levels that are 0 dB when rounded to 0.1 dB, the highest that is stored: Leq and the maximum may be too low where it is not 0; null without levels',
    ),
    ...overload,
    clock: PeriodSettings.shape.clock.meta({
      description:
        'How times were set (`clock` of a period), if all periods with points in the interval agree; null otherwise, or without points',
    }),
    largest_correction_ms: z.number().nullable().meta({
      description:
        'The largest step of the clock in the minutes (UTC) that the interval touches, milliseconds: how much later a window begins than the one before says, negative if it begins earlier. Sound was lost, the clock of the machine was set, or the sound card is too fast or too slow. Steps below 2 ms a window do not count: 0 if there is no larger one. Null unless clock is `machine`',
    }),
    silence_percent: share('Share of the points that are silent; null without points'),
    future_count: z
      .int()
      .min(0)
      .max(MOST_AHEAD)
      .meta({
        description: `Points of the table that are dated now or later, counted up to ${MOST_AHEAD}`,
      }),
    newest: Instant.nullable().meta({
      description: 'Time of the newest point of the table that is not dated ahead; null where there is none',
    }),
    newest_age_seconds: z.number().min(0).nullable().meta({ description: 'How long ago that was' }),
  })
  .meta({
    id: 'Quality',
    description: 'Whether the microphone was there, and what it could not measure',
    examples: [
      {
        from: '2026-01-01T00:00:00.000000Z',
        to: '2026-01-02T00:00:00.000000Z',
        point_count: 863000,
        spacing_seconds: 0.1,
        spacing_changes: false,
        spacing_count: 1,
        spacings: [
          { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-02T00:00:00.000000Z', spacing_seconds: 0.1 },
        ],
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
        largest_correction_ms: 2.125,
        silence_percent: 35.1,
        future_count: 0,
        newest: '2026-01-01T23:59:59.900000Z',
        newest_age_seconds: 0.4,
      },
    ],
  });
export type QualityOutput = z.infer<typeof QualityOutput>;
