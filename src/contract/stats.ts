// stats.summary: what goes in, what comes out.
import { z } from 'zod';
import { INSTANT_ALLOWED, Instant, InstantInput } from './instant.ts';
import { must } from './messages.ts';
import { parameters } from './parameters.ts';

/** The periods that a summary can cover, and their lengths in seconds. */
export const PERIOD_SECONDS = {
  '10s': 10,
  '1m': 60,
  '1h': 3600,
  '6h': 6 * 3600,
  '24h': 24 * 3600,
  '7d': 7 * 86400,
  '30d': 30 * 86400,
} as const;
export const Period = z.enum(
  Object.keys(PERIOD_SECONDS) as (keyof typeof PERIOD_SECONDS)[],
  must(`one of ${Object.keys(PERIOD_SECONDS).join(', ')}`),
);
export type Period = z.infer<typeof Period>;

export const SummaryInput = parameters({
  period: Period.default('1h').meta({ description: 'Length of the window', examples: ['1h'] }),
  to: InstantInput.default('now').meta({
    description: `End of the window, exclusive: ${INSTANT_ALLOWED}`,
    examples: ['now'],
  }),
}).prefault({});
export type SummaryInput = z.output<typeof SummaryInput>;

const level = (description: string) => z.number().nullable().meta({ description });

export const SummaryOutput = z
  .object({
    period: Period.meta({ description: 'Length of the window' }),
    from: Instant.meta({ description: 'Start of the window, inclusive' }),
    to: Instant.meta({ description: 'End of the window, exclusive' }),
    point_count: z.int().min(0).meta({ description: 'Points in the window, measured level or not' }),
    avg_db: level('Arithmetic mean of the levels, dB'),
    max_db: level('Highest level, dB'),
    min_db: level('Lowest level, dB'),
    leq_db: level('Equivalent continuous level: 10·log10(mean(10^(rms_db/10))), the energy mean, dB'),
    l10_db: level('Level exceeded 10 % of the time (90th percentile), to 0.1 dB'),
    l50_db: level('Level exceeded 50 % of the time (median), to 0.1 dB'),
    l90_db: level('Level exceeded 90 % of the time (10th percentile), to 0.1 dB'),
    dominant_frequency_hz: z.int().nullable().meta({
      description: 'Most frequent dominant frequency, the lowest among equals, Hz',
    }),
    silence_percent: z.number().min(0).max(100).nullable().meta({
      description: 'Share of all points that are silent, percent',
    }),
  })
  .meta({
    id: 'Summary',
    description: 'Statistics of a window; null where the window holds nothing to measure',
  });
export type SummaryOutput = z.infer<typeof SummaryOutput>;
