// stats.why: input and output.
import { z } from 'zod';
import { Exclusions } from '../../../contract/exclusions.ts';
import { bool, count, figure, instant, instantOrNull, number, text } from '../../../contract/fields.ts';
import { INSTANT_OR_DATE_ALLOWED } from '../../../contract/instant.ts';
import { fromToWithoutZone, intervalEnds, parameters } from '../../../contract/parameters.ts';
import { levelsInput } from '../../../contract/periods.ts';
import { EXAMPLE_MEASURED_INTERVAL, measuredInterval } from '../../../contract/statistics.ts';
import { State } from '../../../contract/verdicts.ts';
import { AgainstLimitsInput } from '../limits/contract.ts';

/** The longest interval, in days of 24 hours. */
export const MAX_WHY_DAYS = 31;

const { limits, time_zone } = AgainstLimitsInput.shape;

/** The parts of a day without limits. */
export const USUAL_PARTS = '07-23=0,23-07=0';

export const WhyInput = parameters({
  from: fromToWithoutZone.from.meta({
    description: `Start of the interval, inclusive, at most ${MAX_WHY_DAYS} days before \`to\`: ${INSTANT_OR_DATE_ALLOWED}`,
    examples: ['now-24h'],
  }),
  to: fromToWithoutZone.to,
  levels: levelsInput,
  limits: limits
    .unwrap()
    .meta({
      description:
        'Limits by time of day, as in stats.limits. They also part the day. Default: the limits in service.info; without any, the day from 07:00 to 23:00 and the night from 23:00 to 07:00',
      examples: ['06-22=55,22-06=45'],
    })
    .optional(),
  time_zone,
  exclusions: Exclusions,
});

const Stretch = z.object(intervalEnds);
const Run = Stretch.extend({ max_db: figure('Highest level of the run, dB') });

const kinds = {
  tone: 'steady sound, with at least 80 % of its energy in one third-octave band',
  steady: 'minutes whose levels lie close together, above the background',
  bursts: 'events that fill at least half of three minutes or more, with pauses of up to a minute',
  event: 'a single event with at least 5 % of the energy of the part',
  passing: 'the other events of one pitch: low (up to 250 Hz), middle or high (1600 Hz and up)',
  background: 'all the rest',
} as const;

const band = (what: string) => figure(`${what}, nominal frequency in Hz; null if no point has a frequency`);

export const Episode = z
  .object({
    kind: z.enum(Object.keys(kinds) as (keyof typeof kinds)[]).meta({
      description: Object.entries(kinds)
        .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
        .join('; '),
    }),
    from: instant('Start of the first run, inclusive'),
    to: instant('End of the last run, exclusive'),
    duration_seconds: number('The length of all runs, seconds'),
    leq_db: figure('Equivalent continuous level of its points, dB. Pauses between bursts are not among them'),
    max_db: figure('Highest level, dB; null for the background'),
    band_main_hz: band(
      'The third-octave band (stats.frequencies) with the most energy, the lowest among equals',
    ),
    band_from_hz: band('The lowest of the neighbouring bands that hold at least 80 % of the energy'),
    band_to_hz: band('The highest of these bands'),
    share_percent: number(
      'Its energy above the background, as a share of the energy that the limit allows, percent. The shares of a part, with that of the background, add up to used_percent, or to 100 if that is null',
    ),
    level_without_db: figure(
      'Leq of the assessed stretch without its energy above the background, dB; null if nothing is left',
    ),
    run_count: count('Number of runs: steady stretches, single events, or groups of bursts'),
    runs: z.array(Run).max(200).meta({ description: 'The runs, longest first; at most 200' }),
    again: z.array(Stretch).meta({
      description:
        'Episodes of earlier parts of this answer with the same kind, and a main band at most two thirds away. Empty for passing sounds and the background',
    }),
  })
  .meta({ id: 'Episode', description: 'Sound of one kind that made a part of a day loud' });
export type Episode = z.infer<typeof Episode>;

export const Causes = z
  .object({
    from: instant('Start of the part, inclusive, even if it lies before the interval'),
    to: instant('End of the part, exclusive, even if it lies after the interval'),
    is_running: bool('Whether the part has not ended. Then its figures are those up to now'),
    limit_db: figure('The limit, dB; null without one'),
    penalty_db: figure('Its penalty, dB; null without a limit'),
    state: State.meta({ description: 'How the whole part compares with its limit, as in stats.limits' }),
    used_percent: figure(
      'How much of the energy that its limit allows the part has used, as in stats.limits, percent; null if `state` is null',
    ),
    assessed_from: instantOrNull(
      'Start of the stretch that the shares are of: the part, or its loudest hour or quarter (see `assess` in stats.limits); null without episodes',
    ),
    assessed_to: instantOrNull('End of that stretch, exclusive'),
    background_db: figure(
      'The background: L90 of the part, or the median of the L90 of the same part of the seven days before, if that is lower, dB; null if nothing was measured',
    ),
    at_least: bool(
      'Whether a level was at the ceiling or a window overloaded: the true energy may be higher',
    ),
    enough: z.int().min(0).nullable().meta({
      description:
        'How many of the first episodes must be gone for the part to be within its limit; 0 if it is. Null if all of them do not suffice, or if used_percent is null',
    }),
    episodes_reason: z
      .enum(['energy_of_maxima', 'two_scales', 'too_many_points', 'points_removed'])
      .nullable()
      .meta({
        description:
          'Why there are no episodes. `energy_of_maxima`: the levels are maxima; `two_scales`: they have different scales; `too_many_points`: too many lie above the background; `points_removed`: only sums by minute are left (history_until). Null if there are, or if nothing was measured',
      }),
    episodes: z.array(Episode).meta({
      description: 'Those with the most energy first; the background last. Empty if nothing was measured',
    }),
  })
  .meta({ id: 'Causes', description: 'What made a part of a day loud' });
export type Causes = z.infer<typeof Causes>;

export const WhyOutput = z
  .object({
    ...measuredInterval,
    time_zone: text('Time zone of the parts'),
    offset_db: figure(
      'Add this to a level of this answer to compare it with a limit, dB; null if the levels cannot be compared',
    ),
    reason: z.enum(['energy_of_maxima']).nullable().meta({
      description: 'Why `parts` is empty: the levels are maxima, whose energy is unknown. Null otherwise',
    }),
    parts: z.array(Causes).meta({ description: 'Every part that the interval touches, oldest first' }),
  })
  .meta({
    id: 'Why',
    description: 'What made each part of a day loud',
    examples: [
      {
        ...EXAMPLE_MEASURED_INTERVAL,
        time_zone: 'UTC',
        offset_db: 95,
        reason: null,
        parts: [
          {
            from: '2025-12-31T22:00:00.000000Z',
            to: '2026-01-01T06:00:00.000000Z',
            is_running: false,
            limit_db: 45,
            penalty_db: 0,
            state: 'over',
            used_percent: 158.5,
            assessed_from: '2025-12-31T22:00:00.000000Z',
            assessed_to: '2026-01-01T06:00:00.000000Z',
            background_db: -62.3,
            at_least: false,
            enough: 1,
            episodes_reason: null,
            episodes: [
              {
                kind: 'tone',
                from: '2026-01-01T01:10:14.000000Z',
                to: '2026-01-01T02:25:02.000000Z',
                duration_seconds: 4488,
                leq_db: -40.9,
                max_db: -39.8,
                band_main_hz: 160,
                band_from_hz: 160,
                band_to_hz: 160,
                share_percent: 128.1,
                level_without_db: -55.2,
                run_count: 1,
                runs: [
                  {
                    from: '2026-01-01T01:10:14.000000Z',
                    to: '2026-01-01T02:25:02.000000Z',
                    max_db: -39.8,
                  },
                ],
                again: [],
              },
              {
                kind: 'background',
                from: '2025-12-31T22:00:00.000000Z',
                to: '2026-01-01T06:00:00.000000Z',
                duration_seconds: 24312,
                leq_db: -54.6,
                max_db: null,
                band_main_hz: null,
                band_from_hz: null,
                band_to_hz: null,
                share_percent: 30.4,
                level_without_db: -48.9,
                run_count: 0,
                runs: [],
                again: [],
              },
            ],
          },
        ],
      },
    ],
  });
