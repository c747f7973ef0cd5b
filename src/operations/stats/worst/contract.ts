// stats.worst: input and output.
import { z } from 'zod';
import { Exclusions } from '../../../contract/exclusions.ts';
import { figure, instant, number, text } from '../../../contract/fields.ts';
import { fromToOrDate, limitInput, nameIn, parameters, timeZoneInput } from '../../../contract/parameters.ts';
import { levelsInput } from '../../../contract/periods.ts';
import { EXAMPLE_MEASURED_INTERVAL, measuredInterval } from '../../../contract/statistics.ts';
import { BUCKET_SECONDS, MAX_BUCKETS } from '../series/contract.ts';

/** A bucket counts if its Leq is this far above the background. At 3 dB, half of its energy is not background. */
export const LEAST_ABOVE_DB = 3;

// shorter noise is for events.top
const { '1s': _1s, '2s': _2s, '5s': _5s, ...LENGTHS } = BUCKET_SECONDS;
const WorstBucket = nameIn(LENGTHS);

export const WorstStretchesInput = parameters({
  ...fromToOrDate,
  levels: levelsInput,
  bucket: WorstBucket.default('15m').meta({
    description: `Length of the buckets that form stretches, at least 10s. Refused if the interval needs more than ${MAX_BUCKETS} buckets. Buckets are aligned to UTC`,
    examples: ['15m'],
  }),
  time_zone: timeZoneInput(
    'IANA time zone of dates in `from` and `to`. Buckets are aligned to UTC in any zone',
  ),
  limit: limitInput(100, 3, 'Most stretches to return'),
  exclusions: Exclusions,
});

export const WorstStretch = z
  .object({
    from: instant('Start, inclusive: the start of a bucket or of the interval'),
    to: instant('End, exclusive: the end of a bucket or of the interval'),
    leq_db: number('Equivalent continuous level of the points in the stretch, dB'),
    background_db: number(
      'The background: L90 of all points of the interval, to 0.1 dB. It is the same for every stretch',
    ),
    energy_percent: z.number().min(0).max(100).meta({
      description:
        'The energy of the stretch in excess of the background, as a share of the energy of the whole interval, percent',
    }),
    band_hz: figure(
      'Nominal frequency of the third-octave band (stats.frequencies) with the most dominant frequencies, Hz; if several tie, the lowest. Null if no point has a dominant frequency',
    ),
  })
  .meta({
    id: 'WorstStretch',
    description: `Neighbouring buckets, each with an equivalent continuous level at least ${LEAST_ABOVE_DB} dB above the background`,
  });
export type WorstStretch = z.infer<typeof WorstStretch>;

export const WorstStretchesOutput = z
  .object({
    ...measuredInterval,
    bucket: WorstBucket.meta({ description: 'Length of each bucket' }),
    time_zone: text('Time zone of dates in `from` and `to`'),
    worst: z.array(WorstStretch).meta({
      description:
        'Sorted by energy above the background, largest first; of equal stretches, the earlier first. Empty if no bucket is loud enough, if no point has a level, or if energy_unavailable is true',
    }),
  })
  .meta({
    id: 'WorstStretches',
    description: 'The stretches of an interval that contribute most to its noise',
    examples: [
      {
        ...EXAMPLE_MEASURED_INTERVAL,
        bucket: '15m',
        time_zone: 'UTC',
        worst: [
          {
            from: '2026-01-01T00:15:00.000000Z',
            to: '2026-01-01T00:45:00.000000Z',
            leq_db: -28.417362,
            background_db: -45.3,
            energy_percent: 83.6,
            band_hz: 315,
          },
        ],
      },
    ],
  });
