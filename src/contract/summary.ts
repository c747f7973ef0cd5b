// stats.summary: what goes in, what comes out.
import { z } from 'zod';
import { INSTANT_ALLOWED, Instant, InstantInput } from './instant.ts';
import { must } from './messages.ts';
import { parameters } from './parameters.ts';
import { EXAMPLE_STATISTICS, level, statistics } from './statistics.ts';

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

export const SummaryOutput = z
  .object({
    period: Period.meta({ description: 'Length of the window' }),
    from: Instant.meta({ description: 'Start of the window, inclusive' }),
    to: Instant.meta({ description: 'End of the window, exclusive' }),
    ...statistics,
    l10_db: level('Level exceeded 10 % of the time (90th percentile), to 0.1 dB'),
    l50_db: level('Level exceeded 50 % of the time (median), to 0.1 dB'),
    l90_db: level('Level exceeded 90 % of the time (10th percentile), to 0.1 dB'),
  })
  .meta({
    id: 'Summary',
    description: 'Statistics of a window; null where the window holds nothing to measure',
    examples: [
      {
        period: '1h',
        from: '2026-01-01T00:00:00.000000Z',
        to: '2026-01-01T01:00:00.000000Z',
        ...EXAMPLE_STATISTICS,
        l10_db: -26.2,
        l50_db: -42.9,
        l90_db: -50,
      },
    ],
  });
export type SummaryOutput = z.infer<typeof SummaryOutput>;
