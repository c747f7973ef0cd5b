// stats.summary: input and output.
import { z } from 'zod';
import { Exclusions, excluded_seconds } from '../../../contract/exclusions.ts';
import { instant } from '../../../contract/fields.ts';
import { historyFields } from '../../../contract/history.ts';
import { INSTANT_OR_DATE_ALLOWED } from '../../../contract/instant.ts';
import {
  dateZone,
  EXAMPLE_INTERVAL,
  InstantOrDateInput,
  nameIn,
  parameters,
} from '../../../contract/parameters.ts';
import { EXAMPLE_SCALE, LevelScale, levelsInput } from '../../../contract/periods.ts';
import {
  EXAMPLE_STATISTICS,
  exceeded,
  leqLow,
  overloadFields,
  statistics,
} from '../../../contract/statistics.ts';

export const PERIOD_SECONDS = {
  '10s': 10,
  '1m': 60,
  '1h': 3600,
  '6h': 6 * 3600,
  '24h': 24 * 3600,
  '7d': 7 * 86400,
  '30d': 30 * 86400,
} as const;
const Period = nameIn(PERIOD_SECONDS);

export const DEFAULT_PERIOD = '1h' satisfies z.infer<typeof Period>;

export const SummaryInput = parameters({
  period: Period.meta({
    description: `Length of the window. Not together with \`from\`. Default without \`from\`: ${DEFAULT_PERIOD}`,
    examples: [DEFAULT_PERIOD],
  }).optional(),
  from: InstantOrDateInput.meta({
    description: `Start of the window, inclusive, instead of \`period\`: ${INSTANT_OR_DATE_ALLOWED}`,
  }).optional(),
  to: InstantOrDateInput.default('now').meta({
    description: `End of the window, exclusive: ${INSTANT_OR_DATE_ALLOWED}`,
    examples: ['now'],
  }),
  time_zone: dateZone,
  levels: levelsInput,
  exclusions: Exclusions,
}).prefault({});

export const SummaryOutput = z
  .object({
    period: Period.nullable().meta({ description: 'Length of the window; null if `from` was given' }),
    from: instant('Start of the window, inclusive'),
    to: instant('End of the window, exclusive'),
    excluded_seconds,
    ...historyFields,
    ...statistics,
    leq_low_db: leqLow,
    l1_db: exceeded(1, '99th percentile'),
    l5_db: exceeded(5, '95th percentile'),
    l10_db: exceeded(10, '90th percentile'),
    l50_db: exceeded(50, 'median'),
    l90_db: exceeded(90, '10th percentile'),
    l95_db: exceeded(95, '5th percentile'),
    l99_db: exceeded(99, '1st percentile'),
    ...overloadFields,
    scale: LevelScale,
  })
  .meta({
    id: 'Summary',
    description: 'Statistics of a window; null if the window has nothing to measure',
    examples: [
      {
        period: '1h',
        ...EXAMPLE_INTERVAL,
        excluded_seconds: 0,
        ...EXAMPLE_STATISTICS,
        leq_low_db: -30.757138,
        l1_db: -19.4,
        l5_db: -23.5,
        l10_db: -26.2,
        l50_db: -42.9,
        l90_db: -50,
        l95_db: -50,
        l99_db: -50,
        overload_percent: 0,
        scale: EXAMPLE_SCALE,
      },
    ],
  });
export type SummaryOutput = z.infer<typeof SummaryOutput>;
